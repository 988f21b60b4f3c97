import type { Finding } from './finding.ts';

/** The places a finding can be delivered to, best first. `report` is the last: always written when a file is named. */
export const places = ['inline', 'file', 'body', 'annotation', 'summary'] as const;
export type Place = (typeof places)[number];

/** Where a finding may go, decided before anything is posted. */
export type Placement =
  | { readonly finding: Finding; readonly place: 'inline' | 'file' }
  | { readonly finding: Finding; readonly place: 'body' | 'summary'; readonly reason: string }
  | { readonly finding: Finding; readonly place: 'suppressed'; readonly reason: string };
