import { answers, changes } from './changes.ts';
import { findings } from './findings.ts';
import type { Growing } from './growing.ts';

export const allGrowing: readonly Growing[] = [...changes, ...findings, ...answers];
