import picomatch from 'picomatch';
import { ToolError } from '../../core/errors.ts';

// picomatch compiles to RegExp, whose time grows with the power of the number of wildcards: patterns come from a model.
const maxWildcards = 4;
const maxCharacters = 500;

/**
 * A predicate for paths from a glob such as `*.ts` (any folder) or `src/**`; '' accepts all.
 *
 * @throws ToolError for a glob that would be too slow.
 */
export function pathFilter(glob: string): (path: string) => boolean {
  if (glob === '') return () => true;
  const wildcards = glob.match(/\*+/g)?.length ?? 0;
  if (glob.length > maxCharacters || wildcards > maxWildcards) {
    throw new ToolError(`The file pattern is too complex: use at most ${maxWildcards} wildcards, such as src/**/*.ts.`);
  }
  return picomatch(glob, { dot: true, flags: 's', basename: !glob.includes('/'), noextglob: true });
}
