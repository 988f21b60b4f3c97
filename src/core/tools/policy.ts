import type { Policy } from '../agent/agent.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import { checkPath } from '../repository/path.ts';
import { denying } from './deny-paths.ts';
import { nameOf } from './sources.ts';

export const defaultMaxCalls = 200;

/**
 * Asked before every tool call of a run: paths stay inside the tree, what `isDenied` names stays closed, and after `maxCalls` calls nothing
 * is read any more. It counts: one policy for all batches.
 */
export function defaultPolicy(isDenied: (path: string) => string | null, maxCalls = defaultMaxCalls): Policy {
  let calls = 0;
  return (path) => {
    calls += 1;
    if (calls > maxCalls) {
      const reason = `This run has used its ${maxCalls} tool calls: submit what you have.`;
      return { allowed: false, because: 'calls', reason };
    }
    const reason = path === null ? null : whyNotRead(path, isDenied);
    return reason === null ? { allowed: true } : { allowed: false, because: 'path', reason };
  };
}

function whyNotRead(path: string, isDenied: (path: string) => string | null): string | null {
  const checked = checkPath(path);
  return checked.ok ? isDenied(checked.path) : `${nameOf(path.slice(0, 200))} is refused: ${checked.reason}.`;
}

/**
 * The reason why a file may not be read, written for the model; null when it may. Case does not count, depth neither. A file of the change that was renamed
 * or copied from a denied one holds what that held, whatever it is called now.
 */
export function deniedIn(files: readonly ChangedFile[], denyPaths: readonly string[]): (path: string) => string | null {
  const lines = denyPaths.map((line) => ({ line, covers: denying(line) }));
  const isDeniedPath = (path: string): string | null => {
    if (holdsSecrets(path)) return `${nameOf(path)} is denied: files of this kind hold secrets. Go on without it.`;
    const found = lines.find(({ covers }) => covers(path));
    return found === undefined
      ? null
      : `${nameOf(path)} is denied by deny-paths (${nameOf(found.line)}). Go on without it.`;
  };
  const formerName = new Map(
    files.flatMap(({ path, oldPath, status }) => {
      const isMoved = status === 'renamed' || status === 'copied';
      return isMoved && oldPath !== path ? [[path, oldPath]] : [];
    }),
  );
  return (path) => {
    const denied = isDeniedPath(path);
    const former = formerName.get(path);
    if (denied !== null || former === undefined || isDeniedPath(former) === null) return denied;
    return `${nameOf(path)} is denied: it comes from ${nameOf(former)}, which may not be read. Go on without it.`;
  };
}

function holdsSecrets(path: string): boolean {
  const parts = path.toLowerCase().split('/');
  const name = parts.at(-1) ?? '';
  if (parts.some((part) => part.startsWith('.env') && part !== '.env.example')) return true;
  if (name.endsWith('.pem') || name.endsWith('.key') || name === '.npmrc' || name === '.netrc') return true;
  // Private keys of ssh: `id_rsa`, `id_ed25519.old`; not `id_rsa.pub` and not source such as `id_card.ts`.
  if (name.endsWith('.pub')) return false;
  return /^id_(?:[^.]*|(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?\..*)$/.test(name);
}
