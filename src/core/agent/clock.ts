/** Time as the loop sees it. Milliseconds; the origin does not matter, but a budget's deadlines share it. */
export type Clock = {
  now(): number;
  /** Resolves after `milliseconds`, or as soon as the signal aborts. Never rejects. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
};
