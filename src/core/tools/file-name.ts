import { ToolError } from '../errors.ts';
import { checkPath } from '../repository/path.ts';
import { shown } from '../repository/shown.ts';

/** The path of a call as git knows it. @throws ToolError for what is not a path inside the repository. */
export function pathOf(argument: string): string {
  const checked = checkPath(argument);
  if (!checked.ok) throw new ToolError(`${nameOf(argument.slice(0, 200))} is refused: ${checked.reason}.`);
  return checked.path;
}

/** A path on one line, whatever characters it holds. */
export function nameOf(path: string): string {
  return shown([path])[0]?.text ?? '';
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
