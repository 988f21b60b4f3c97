import { inEnglish } from '../../core/messages/languages.ts';
import type { Message } from '../../core/messages/message.ts';
import { knowsLabels, type LabelChanges, labelChanges } from '../../core/review/labels.ts';
import type { Review } from '../../core/review/review.ts';
import { type Delivery, type Destination, deliveryOf, messagesOf } from '../../core/review/sink.ts';
import type { LabelRule } from '../../core/settings/label-rules.ts';
import { groupBy } from '../../core/text.ts';
import { answerOf } from './answers.ts';
import { inRepository, refusalIn } from './client.ts';
import { writeOnce } from './posted.ts';
import type { GitHubSession } from './pull.ts';

type LabelOptions = {
  readonly rules: readonly LabelRule[];
  readonly currentHead: () => Promise<string | null>;
};

type LabelWork = GitHubSession & LabelOptions;

/** Sets and removes the labels that the rules name, and leaves all others alone. What GitHub does not let it do never fails a run. */
export function ownLabels(session: GitHubSession, given: LabelOptions): Destination {
  const options = { ...session, ...given };
  return {
    name: 'labels',
    deliver: async ({ review }) => {
      if (options.github.signal.aborted || !knowsLabels(review)) return deliveryOf('labels', 'skipped');
      try {
        return await keepLabels(options, review);
      } catch (error) {
        return deliveryOf('labels', 'refused', { code: 'delivery.labels-refused', why: refusalIn(error).reason });
      }
    },
  };
}

/** GitHub takes no more, and answers a request for more with an error of its own. */
const labelsAtMost = 100;

async function keepLabels(options: LabelWork, review: Review): Promise<Delivery> {
  const { github, reference, rules, currentHead } = options;
  const asked = { ...inRepository(reference), issue_number: reference.number, per_page: 100 };
  const listed = await github.paginate(github.rest.issues.listLabelsOnIssue, asked);
  const present = listed.map(({ name }) => name);
  const { add, remove } = labelChanges(rules, review, present);
  if (add.length + remove.length === 0) return deliveryOf('labels', 'skipped');
  const head = await currentHead();
  if (head !== null && head !== review.pullRequest?.head.sha) {
    return deliveryOf('labels', 'skipped', { code: 'delivery.labels-moved' });
  }
  const room = Math.max(0, labelsAtMost - present.length + remove.length);
  const removed = await removeLabels(options, remove);
  const added = await addLabels(options, add.slice(0, room));
  const crowded = add
    .slice(room)
    .map((label) => ({ label, reason: inEnglish({ code: 'delivery.labels-most', max: labelsAtMost }) }));
  const troubles = [...removed.troubles, ...added.troubles, ...crowded];
  const changes = changeMessages({ add: added.done, remove: removed.done });
  return troubles.length === 0
    ? deliveryOf('labels', 'delivered', changes)
    : deliveryOf('labels', 'refused', [...changes, troublesMessage(troubles)]);
}

function changeMessages({ add, remove }: LabelChanges): readonly Message[] {
  return messagesOf(
    add.length === 0 ? null : { code: 'delivery.labels-set', labels: add.join(', ') },
    remove.length === 0 ? null : { code: 'delivery.labels-removed', labels: remove.join(', ') },
  );
}

function troublesMessage(troubles: Written['troubles']): Message {
  const reasons = [...groupBy(troubles, ({ reason }) => reason)];
  const which = reasons.map(([reason, same]) => `${same.map(({ label }) => label).join(', ')} (${reason})`).join('; ');
  return { code: 'delivery.labels-permission', labels: which };
}

type Written = {
  readonly done: readonly string[];
  readonly troubles: readonly { readonly label: string; readonly reason: string }[];
};

/** All at once. One that cannot be made takes the others with it: then each is tried by itself. */
async function addLabels(options: LabelWork, labels: readonly string[]): Promise<Written> {
  if (labels.length === 0) return { done: [], troubles: [] };
  const { github, reference } = options;
  const asked = { ...inRepository(reference), issue_number: reference.number, labels: [...labels] };
  try {
    await writeOnce(github, { write: () => github.rest.issues.addLabels(asked) });
    return { done: labels, troubles: [] };
  } catch (error) {
    const { kind, reason } = refusalIn(error);
    const isOfOne = labels.length === 1 || (kind !== 'permission' && kind !== 'anchor');
    if (isOfOne) return { done: [], troubles: labels.map((label) => ({ label, reason })) };
    return await each(labels, (label) => addLabels(options, [label]));
  }
}

function removeLabels({ github, reference }: LabelWork, labels: readonly string[]): Promise<Written> {
  return each(labels, async (name) => {
    const asked = { ...inRepository(reference), issue_number: reference.number, name };
    try {
      await writeOnce(github, { write: () => github.rest.issues.removeLabel(asked) });
    } catch (error) {
      // Somebody was faster.
      if (answerOf(error)?.status !== 404)
        return { done: [], troubles: [{ label: name, reason: refusalIn(error).reason }] };
    }
    return { done: [name], troubles: [] };
  });
}

async function each(labels: readonly string[], write: (label: string) => Promise<Written>): Promise<Written> {
  const written: Written[] = [];
  for (const label of labels) written.push(await write(label));
  return { done: written.flatMap(({ done }) => done), troubles: written.flatMap(({ troubles }) => troubles) };
}
