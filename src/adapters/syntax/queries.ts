import { cppQuery } from './queries/cpp.ts';
import { csharpQuery } from './queries/csharp.ts';
import { javascriptQuery, tsxQuery, typescriptQuery } from './queries/ecmascript.ts';
import { goQuery } from './queries/go.ts';
import { javaQuery } from './queries/java.ts';
import { phpQuery } from './queries/php.ts';
import { pythonQuery } from './queries/python.ts';
import { rubyQuery } from './queries/ruby.ts';
import { rustQuery } from './queries/rust.ts';

/** By grammar: what is looked for in its trees. Apart from the languages' names, since only the thread that parses needs it. */
export const queries: ReadonlyMap<string, string> = new Map([
  ['typescript', typescriptQuery],
  ['tsx', tsxQuery],
  ['javascript', javascriptQuery],
  ['python', pythonQuery],
  ['go', goQuery],
  ['java', javaQuery],
  ['ruby', rubyQuery],
  ['rust', rustQuery],
  ['cpp', cppQuery],
  ['c-sharp', csharpQuery],
  ['php', phpQuery],
]);
