import type { Repository } from '../repository/repository.ts';
import type { ReadHead } from './code-parts.ts';

/** Reads files at head as text; null for what is none. */
export function headReader(repository: Repository): ReadHead {
  return async (path) => {
    const content = await repository.readFile(path, 'head');
    return content.kind === 'text' ? content.text : null;
  };
}
