const iterationsPerFile = 5;
const maxIterations = 25;

/** Iterations for that many changed files: 5 a file, 25 at most, 1 without files (Cassandra, `calculateMaxIterations`). */
export function calculateMaxIterations(files: number): number {
  return Math.min(Math.max(1, files * iterationsPerFile), maxIterations);
}
