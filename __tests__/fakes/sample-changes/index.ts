import { goChange } from './go.ts';
import { javaChange } from './java.ts';
import { pythonChange } from './python.ts';
import { rubyChange } from './ruby.ts';
import { rustChange } from './rust.ts';
import type { SampleChange } from './sample-change.ts';
import { typescriptChange } from './typescript.ts';

export const sampleChanges: readonly SampleChange[] = [
  typescriptChange,
  pythonChange,
  goChange,
  javaChange,
  rubyChange,
  rustChange,
];
