import type { ChangedFile } from '../pull-request/changed-file.ts';
import { atLeast } from '../settings/setting.ts';
import type { AcceptedItem, FailedItem } from './check-item.ts';
import { type Comparable, isOne } from './similarity.ts';
import { findChangedFile } from './subject.ts';

/** Nothing that it names can be looked up. One with a quote, or with another citation, is not worth a turn. */
export function hasNoProof({ grounded, proof }: AcceptedItem): boolean {
  return grounded.anchor.kind === 'file' && proof.citations.length === 0;
}

/** Tells the model what is kept and asks for the failing items only, and for citations that are not there. */
export function answerTo(
  checked: {
    accepted: readonly AcceptedItem[];
    failed: readonly FailedItem[];
    miscited: readonly AcceptedItem[];
  },
  { walkthrough }: { readonly walkthrough?: boolean },
): string {
  const kept = checked.accepted.map((item) => `#${item.number}`).join(', ');
  const lines = [
    kept === '' ? 'Nothing accepted.' : `Accepted ${kept}.`,
    ...checked.failed.map((item) => `Resubmit #${item.number}: ${item.reason}`),
    ...checked.miscited.map(
      ({ number, proof }) => `#${number}, if you can cite it right: ${proof.problems.join('; ')}`,
    ),
    `Send only these, corrected${walkthrough === false ? '' : ' and with an empty walkthrough'}, or an empty files_review to withdraw them. What was accepted is kept.`,
  ];
  return lines.join('\n');
}

/**
 * The items given back that nothing in a resubmission takes up: as the same, or as no less severe in its file, in any where it named none that
 * there is. They count as they are.
 */
export function notTakenUp(
  givenBack: readonly FailedItem[],
  {
    by,
    recited,
    files,
  }: {
    by: readonly (AcceptedItem | FailedItem)[];
    /** Accepted before, and given back for their citations alone. */
    recited: readonly AcceptedItem[];
    files: readonly ChangedFile[];
  },
): readonly FailedItem[] {
  // What comes again to be cited right answers for itself alone.
  const isRecited = (named: Named) => recited.some((one) => isOne.inConversation(namedIn(one), named));
  const open = by.map(namedIn).filter((one) => !isRecited(one));
  const untitled = givenBack.filter(({ finding }) => !takeOut(open, (named) => isOne.asAnswer(finding, named)));
  return untitled.filter(({ finding, least }) => {
    const isAnywhere = findChangedFile(finding.path, files) === null;
    const isNear = (path: string) => isAnywhere || path === finding.path;
    return !takeOut(open, ({ path, severity }) => isNear(path) && atLeast(severity, least));
  });
}

type Named = Comparable & Pick<FailedItem['finding'], 'path' | 'severity'>;

function namedIn(one: AcceptedItem | FailedItem): Named {
  if (!one.ok) return one.finding;
  const { item, grounded } = one;
  return { ...item, ...grounded, ruleId: item.rule_id, source: 'model' };
}

function takeOut(open: Named[], isAnswer: (named: Named) => boolean): boolean {
  const index = open.findIndex(isAnswer);
  if (index !== -1) open.splice(index, 1);
  return index !== -1;
}
