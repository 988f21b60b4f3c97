import type { Finding } from '../findings/finding.ts';
import type { PriorFinding } from './memory.ts';

/** An earlier finding as one of this review: what its mark kept, where it is now. Its text is in the earlier comment. */
export function findingOf({ id, mark, present, held }: PriorFinding): Finding {
  const { path, title, severity, category, ruleId } = mark;
  const here = present.kind === 'here' ? present : { path, anchor: { kind: 'file' as const } };
  return {
    id,
    path: here.path,
    anchor: here.anchor,
    title,
    review:
      held.in === 'sticky' && held.deleted === true
        ? 'An earlier review raised this. Its comment was deleted, and the lines that it is about are still there: change them, or resolve this thread to decline it (that takes write permission).'
        : 'An earlier review raised this, and the lines that it is about are still there.',
    evidence: '',
    severity,
    category,
    suggestion: null,
    ruleId,
    confidence: 1,
    source: 'model',
    alsoAt: [],
  };
}
