import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Long enough for a busy machine: nothing is measured by it, it only ends what hangs.
const patience = { testTimeout: 120_000, hookTimeout: 120_000 };
// Files that keep no state beyond themselves share their workers: what they import is loaded once.
const shared = ['core', 'scenarios', 'model-matrix', 'delivery'].map((folder) => `__tests__/${folder}/**/*.test.ts`);

export default defineConfig({
  test: {
    maxWorkers: availableParallelism(),
    reporters: ['dot'],
    globalSetup: ['__tests__/global-setup.ts'],
    projects: [
      { test: { ...patience, name: 'shared', include: shared, isolate: false } },
      { test: { ...patience, name: 'isolated', include: ['__tests__/**/*.test.ts'], exclude: shared } },
    ],
  },
});
