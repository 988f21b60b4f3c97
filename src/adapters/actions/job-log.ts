import { debug, endGroup, info, isDebug, startGroup } from '@actions/core';
import { neutralise } from './neutralise.ts';

/** The log of a job. Everything that goes through it is neutralised: no text can give the runner a command. */
export interface JobLog {
  line(text: string): void;
  debug(text: string): void;
  readonly debugging: boolean;
  /** Groups do not nest, and what others print meanwhile lands in them. */
  group(title: string): { end(): void };
}

export const jobLog: JobLog = {
  line: (text) => info(neutralise(text)),
  debug: (text) => debug(neutralise(text)),
  get debugging() {
    return isDebug();
  },
  group: (title) => {
    startGroup(neutralise(title));
    return { end: endGroup };
  },
};
