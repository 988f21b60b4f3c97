import type { Definition } from './setting.ts';

const file = { group: 'written', kind: 'string', keepsFindings: true, locked: true } as const;

/** The files that Postil writes, in the order in which it writes them. What is in them stands in `adapters/files/recorders.ts`. */
export const fileDefinitions = {
  'review-file': {
    ...file,
    group: 'other',
    description:
      'Path of the file that passes the review from `mode: review` to `mode: post`. Of a review in shards `post` takes a glob.',
    writes: { noun: 'review' },
  },
  'plan-file': {
    ...file,
    group: 'other',
    description:
      'Path of the file that passes the plan from `mode: plan` to the jobs with a `shard` and to `mode: post`.',
    writes: { noun: 'plan' },
  },
  'report-file': {
    ...file,
    description: 'Path of a file for the whole review as JSON.',
    writes: { noun: 'report', output: 'Path of the JSON report. Empty when none was written.' },
  },
  'report-html': {
    ...file,
    description: 'Path of a file for the whole review as one HTML page, which needs no network.',
    writes: { noun: 'HTML report', output: 'Path of the HTML report. Empty when none was written.' },
  },
  'sarif-file': {
    ...file,
    description: 'Path of a file for the findings as SARIF 2.1.0, for github/codeql-action/upload-sarif.',
    writes: { noun: 'SARIF file', output: 'Path of the SARIF file. Empty when none was written.' },
  },
  'progress-file': {
    ...file,
    description: 'Path of a file for progress events as JSON lines.',
    writes: { noun: 'progress' },
  },
  'transcript-file': {
    ...file,
    description:
      'Path of a file that records the whole run, for `postil replay`. The file contains source code of the repository.',
    writes: { noun: 'transcript', output: 'Path of the transcript. Empty when none was recorded.' },
  },
} as const satisfies { readonly [name: string]: Definition & { readonly writes: Writes } };

type Writes = {
  /** What messages call the file. */
  readonly noun: string;
  /** What the output of the action with its path says; there is none without. */
  readonly output?: string;
};

type Files = typeof fileDefinitions;

/** A setting that names a file which Postil writes. */
export type FileSetting = keyof Files;

export const fileSettings = Object.keys(fileDefinitions).filter(isFileSetting);

function isFileSetting(name: string): name is FileSetting {
  return Object.hasOwn(fileDefinitions, name);
}

/** Those whose path is an output of the action: they are there once the review is made. */
export type FileOutput = {
  [K in FileSetting]: Files[K]['writes'] extends { readonly output: string } ? K : never;
}[FileSetting];

export const fileOutputs: readonly FileOutput[] = fileSettings.filter(isOutput);

function isOutput(name: FileSetting): name is FileOutput {
  return 'output' in fileDefinitions[name].writes;
}

/** Paths, by the settings that name them. */
export type NamedFiles = { readonly [name in FileSetting]?: string };
