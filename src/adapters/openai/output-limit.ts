/** Fewer output tokens than this make no review: then the prompt is what has to shrink. */
const smallestUseful = 256;
const smallestRoom = 1024;

/**
 * The output tokens to ask for instead of `requested`, from the limit that the server named (FAILURES M3); null when the
 * message is about something else.
 */
export function clampFrom(message: string, requested: number): number | null {
  return roomInContext(message, requested) ?? statedLimit(message, requested);
}

// "maximum context length is 8192 tokens … 300 input tokens": a quarter of the window serves later, longer prompts too.
function roomInContext(message: string, requested: number): number | null {
  const window = /context (?:length|window|size)\D{0,40}(\d+)/i.exec(message)?.[1];
  const input = /(\d+) (?:input tokens|in the messages|of text input|tokens in the prompt)/i.exec(message)?.[1];
  if (window === undefined || input === undefined) return null;
  const room = Number(window) - Number(input);
  if (room < smallestRoom) return null;
  return below(Math.min(room, Math.floor(Number(window) / 4)), requested);
}

// The limit is the largest number below the one that was sent: "too large: 20000 … at most 16384", "range is [1, 8192]".
function statedLimit(message: string, requested: number): number | null {
  if (!/max_(completion_|output_)?tokens|output tokens/i.test(message)) return null;
  if (!/large|at most|maximum|less than|<=|>|range|exceed|above/i.test(message)) return null;
  if (/context length/i.test(message)) return null;
  const numbers = [...message.matchAll(/(?<![\w.-])\d{2,}(?![\w-])/g)].map((found) => Number(found[0]));
  const limit = Math.max(...numbers.filter((number) => number < requested), 0);
  return below(limit, requested);
}

function below(limit: number, requested: number): number | null {
  return limit >= smallestUseful && limit < requested ? limit : null;
}
