/** An event as one line for people. `text` is visible characters on one line; `detail` is as it came, and untrusted. */
export type EventLine = {
  readonly level: 'info' | 'warning' | 'debug';
  /** The bundle it belongs to; null for the run as a whole. */
  readonly bundle: string | null;
  readonly text: string;
  /** More for who debugs: several lines, never neutralised. */
  readonly detail: string | null;
};
