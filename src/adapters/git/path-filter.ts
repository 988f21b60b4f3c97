import { ToolError } from '../../core/errors.ts';
import { linearGlob } from '../../core/repository/linear-glob.ts';

const maxCharacters = 500;

/**
 * A predicate for paths from a glob such as `*.ts` (any folder) or `src/**`; '' accepts all.
 *
 * @throws ToolError for a glob that is longer than anybody needs.
 */
export function pathFilter(glob: string): (path: string) => boolean {
  if (glob === '') return () => true;
  if (glob.length > maxCharacters) throw new ToolError(`The file pattern has more than ${maxCharacters} characters.`);
  return linearGlob(glob);
}
