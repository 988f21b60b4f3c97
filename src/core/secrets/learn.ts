import type { Past } from '../memory/memory.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { ReviewParts } from '../review-pull-request.ts';
import { loadRules } from '../rules/load-rules.ts';
import { secretsIn } from './find.ts';
import type { Secret } from './redact.ts';

/**
 * The same parts, which name the credentials in a diff before anybody else sees the diff: what a rule finds must not be in a log, a comment or a
 * transcript because a rule found it.
 */
export function learningSecrets(parts: ReviewParts, learn: (secrets: readonly Secret[]) => void): ReviewParts {
  let loading: ReturnType<typeof loadRules> | undefined;
  const learnFrom = async (files: readonly ChangedFile[]) => {
    loading ??= loadRules(parts.repository);
    const { rules } = await loading;
    learn(secretsIn(rules, files));
  };
  return {
    ...parts,
    past: parts.past === null ? null : learningPast(parts.past, learnFrom),
    changes: async () => {
      const changes = await parts.changes();
      await learnFrom(changes.files);
      return changes;
    },
  };
}

function learningPast(past: Past, learnFrom: (files: readonly ChangedFile[]) => Promise<void>): Past {
  return {
    canWrite: (login) => past.canWrite(login),
    relationOf: (head) => past.relationOf(head),
    changesBetween: async (from, to) => {
      const files = await past.changesBetween(from, to);
      if (files !== null) await learnFrom(files);
      return files;
    },
  };
}
