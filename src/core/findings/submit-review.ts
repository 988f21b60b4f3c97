import type { FinishingTool } from '../agent/tool.ts';
import type { Parsed } from '../schema.ts';
import { readAccepted } from './accepted-formats.ts';
import type { Finding } from './finding.ts';
import { type Grounded, ground } from './ground.ts';
import { completeItems } from './loose-json.ts';
import { isSameTitle, mergeFindings, withoutEchoes } from './merge.ts';
import {
  type NormalisedItem,
  type NormalisedSubmission,
  noApproval,
  normaliseSubmission,
  readWalkthrough,
} from './read-submission.ts';
import type { GroundSources } from './sources.ts';
import { findChangedFile } from './subject.ts';
import {
  type Approval,
  type FileNote,
  type SubmittedFinding,
  submissionSchema,
  withoutWalkthrough,
} from './submission.ts';
import { isObject } from './words.ts';

type SubmitReviewOptions = GroundSources & {
  /** Ids that are unique in the whole run. */
  readonly nextId: () => string;
  /** Whether one line about each file is asked for; it is when this is left out. */
  readonly walkthrough?: boolean;
  /** Rules that there are: a finding that names another one names none. All are believed when left out. */
  readonly ruleIds?: ReadonlySet<string>;
  readonly onAccept?: (finding: Finding) => void;
  /** Called each time an item is given back, also when the model may still fix it. */
  readonly onUnplaced?: (item: UnplacedFinding) => void;
};

/** The finishing tool of one batch's review, and what came of it. */
export type SubmitReview = {
  readonly tool: FinishingTool;
  /** The same way for a submission that came as final text. */
  take(submission: NormalisedSubmission): Promise<SubmitAnswer>;
  result(): SubmissionResult;
};

/** `told` is for people. */
type SubmitAnswer = { readonly done: boolean; readonly text: string; readonly told: string };

export type SubmissionResult = {
  readonly findings: readonly Finding[];
  /** What could not be grounded, given up or never fixed: the part of the delivery. Reasons are for people. */
  readonly unplaced: readonly UnplacedFinding[];
  /** Null until something was submitted. */
  readonly approval: Approval | null;
  /** One line about each file of the diff that was walked through, by the path in the diff. */
  readonly walkthrough: readonly FileNote[];
  readonly nonSpecificReview: string | null;
  readonly submitted: boolean;
};

// A model that cannot fix an item in two attempts will not in three.
const maxReturns = 2;

export function submitReview(options: SubmitReviewOptions): SubmitReview {
  const review = new SubmittedReview(options);
  const take = (submission: NormalisedSubmission) => review.take(submission);
  const takeCut = (text: string) => review.takeCut(text);
  const parameters = options.walkthrough === false ? withoutWalkthrough(submissionSchema) : submissionSchema;
  return { tool: { ...finishingTool(take), parameters, takeCut }, take, result: () => review.result() };
}

const fromMildest: readonly Approval['action'][] = ['APPROVE', 'COMMENT', 'REQUEST_CHANGES'];

function isMilder(one: Approval, other: Approval | null): boolean {
  return other !== null && fromMildest.indexOf(one.action) < fromMildest.indexOf(other.action);
}

const description =
  'Submit the review, which ends it. Items whose quote is not in the file come back, to be corrected.';

function finishingTool(take: SubmitReview['take']): Omit<FinishingTool, 'parameters'> {
  return {
    name: 'submit_review',
    description,
    parse: parseLeniently,
    finish: async (value) => {
      const accepted = readAccepted(value);
      return take(accepted?.kind === 'submission' ? accepted.submission : normaliseSubmission(value));
    },
  };
}

/** The strict schema is for the model's eyes; what it sends is normalised, and bad items are answered one by one. */
function parseLeniently(value: unknown): Parsed<unknown> {
  if (isObject(value) || Array.isArray(value)) return { ok: true, value };
  return { ok: false, problems: ['the arguments must be an object with files_review and approval'] };
}

/** Keeps what was accepted over a model's attempts to submit. */
class SubmittedReview {
  readonly #options: SubmitReviewOptions;
  readonly #withdrawn: UnplacedFinding[] = [];
  readonly #notes = new Map<string, FileNote>();
  #findings: readonly Finding[] = [];
  #failed: readonly FailedItem[] = [];
  #approval: Approval | null = null;
  #nonSpecificReview: string | null = null;
  #returns = 0;

  constructor(options: SubmitReviewOptions) {
    this.#options = options;
  }

  async take(submission: NormalisedSubmission): Promise<SubmitAnswer> {
    if (submission.problems.length > 0)
      return this.#giveBack(submission.problems.join('; '), 'returned, because it could not be read');

    const checked = await Promise.all(submission.items.map((item) => checkItem(item, this.#options)));
    const failed = checked.filter((item) => !item.ok);
    const accepted = checked.filter((item) => item.ok);
    this.#withdrawn.push(...withdrawnItems(this.#failed, checked));
    this.#failed = failed;
    this.#keepWords(submission);
    this.#keepNotes(submission.walkthrough);
    this.#accept(accepted);
    for (const item of failed) this.#options.onUnplaced?.(unplacedItem(item));
    if (failed.length === 0) return this.#finish();
    const text = answerTo({ accepted, failed }, this.#options);
    return this.#giveBack(text, `${accepted.length} accepted, ${failed.length} returned`);
  }

  /** The complete findings of a submission that was cut. It is no review yet: the rest and the approval are asked for. */
  async takeCut(text: string): Promise<string | null> {
    const items = completeItems(text, 'files_review');
    this.#keepNotes(readWalkthrough(completeItems(text, 'walkthrough')));
    const { items: read } = normaliseSubmission({ files_review: items });
    const checked = await Promise.all(read.map((item) => checkItem(item, this.#options)));
    const accepted = checked.filter((item) => item.ok);
    const known = this.#findings.length;
    this.#accept(accepted);
    if (this.#findings.length === known) return null;
    const titles = accepted.map(({ item }) => JSON.stringify(item.title.slice(0, 100))).join(', ');
    return `Your call was cut at the output limit. Taken are: ${titles}. Call submit_review again with the rest only, shorter, and with the approval.`;
  }

  result(): SubmissionResult {
    return {
      findings: this.#findings,
      unplaced: [...this.#withdrawn, ...this.#failed.map(unplacedItem)],
      approval: this.#approval,
      walkthrough: [...this.#notes.values()],
      nonSpecificReview: this.#nonSpecificReview,
      submitted: this.#approval !== null,
    };
  }

  /** What was accepted before and comes again with a resubmission is not doubled. */
  #accept(items: readonly AcceptedItem[]): void {
    const findings = withoutEchoes(items.map((accepted) => this.#findingFrom(accepted)));
    const merged = mergeFindings([this.#findings, findings]);
    const added = merged.slice(this.#findings.length);
    this.#findings = merged;
    for (const finding of added) this.#options.onAccept?.(finding);
  }

  #findingFrom({ item, grounded }: AcceptedItem): Finding {
    const { title, review, evidence, severity, category, confidence, rule_id: named, same_as: sameAs } = item;
    const { path, anchor, suggestion } = grounded;
    const { nextId, ruleIds } = this.#options;
    const ruleId = named === null || ruleIds?.has(named) === false ? null : named;
    const said = { title, review, evidence, severity, category, suggestion, ruleId, confidence };
    return { id: nextId(), path, anchor, ...said, ...(sameAs === null ? {} : { sameAs }), source: 'model', alsoAt: [] };
  }

  /** A resubmission brings the failing items alone; what it leaves unsaid was said before. */
  #keepWords({ approval, nonSpecificReview }: NormalisedSubmission): void {
    const unsaid = approval.action === noApproval.action && approval.rationale === '';
    // An empty resubmission often says "nothing to fix" of itself: what was accepted still stands.
    const forgetful = this.#findings.length > 0 && isMilder(approval, this.#approval);
    if (this.#approval === null || !(unsaid || forgetful)) this.#approval = approval;
    this.#nonSpecificReview = nonSpecificReview ?? this.#nonSpecificReview;
  }

  /** A note on what is not in the diff says nothing that a reader looks for. */
  #keepNotes(notes: readonly FileNote[]): void {
    for (const note of notes) {
      const path = findChangedFile(note.path, this.#options.files)?.path;
      if (path !== undefined) this.#notes.set(path, { ...note, path });
    }
  }

  /** Gives back at most twice. Before anything was submitted there is no review to end with: the run's own limits end that. */
  #giveBack(text: string, told: string): SubmitAnswer {
    if (this.#approval !== null && ++this.#returns > maxReturns) return this.#finish();
    return { done: false, text, told };
  }

  #finish(): SubmitAnswer {
    const [accepted, lost] = [this.#findings.length, this.#failed.length];
    const left = lost === 0 ? '' : ` ${lost} could not be placed.`;
    const told = `${accepted} accepted${lost === 0 ? '' : `, ${lost} unplaced`}`;
    return { done: true, text: `The review is submitted: findings accepted: ${accepted}.${left}`, told };
  }
}

type Placed = Extract<Grounded, { ok: true }>;

type AcceptedItem = {
  readonly ok: true;
  readonly number: number;
  readonly title: string;
  readonly path: string;
  readonly item: SubmittedFinding;
  readonly grounded: Placed;
};

type FailedItem = {
  readonly ok: false;
  readonly number: number;
  readonly title: string;
  readonly path: string;
  readonly quote: string | null;
  /** For the model. */
  readonly reason: string;
  /** For people. */
  readonly told: string;
};

/** One submitted item, grounded, or what the model has to fix. */
async function checkItem(normalised: NormalisedItem, sources: GroundSources): Promise<AcceptedItem | FailedItem> {
  if (!normalised.ok) {
    const { number, title, path, problem } = normalised;
    return { ok: false, number, title, path, quote: null, reason: problem, told: 'it could not be read as a finding' };
  }
  const { number, item } = normalised;
  const { title, path } = item;
  const grounded = await ground(item, sources);
  if (!grounded.ok) return { ...grounded, number, title, path, quote: item.quote };
  return { ok: true, number, title, path, item, grounded };
}

/** Tells the model what is kept and asks for the failing items only. */
function answerTo(
  checked: { accepted: readonly AcceptedItem[]; failed: readonly FailedItem[] },
  { walkthrough }: Pick<SubmitReviewOptions, 'walkthrough'>,
): string {
  const kept = checked.accepted.map((item) => `#${item.number}`).join(', ');
  const lines = [
    kept === '' ? 'Nothing accepted.' : `Accepted ${kept}.`,
    ...checked.failed.map((item) => `Resubmit #${item.number}: ${item.reason}`),
    `Send only these, corrected${walkthrough === false ? '' : ' and with an empty walkthrough'}, or an empty files_review to withdraw them. What was accepted is kept.`,
  ];
  return lines.join('\n');
}

function unplacedItem({ title, path, quote, told }: FailedItem): UnplacedFinding {
  return { title, path, quote, reason: told };
}

/** A finding that the model reported and that could not be delivered as one. `quote` is what it took for the source; the reason is for people. */
export type UnplacedFinding = Pick<FailedItem, 'title' | 'path' | 'quote' | 'reason'>;

type Named = { readonly title: string; readonly path: string };

/** The items given back that a resubmission does not take up again, neither by title nor by path: the delivery keeps them. */
function withdrawnItems(givenBack: readonly FailedItem[], resubmitted: readonly Named[]): readonly UnplacedFinding[] {
  const open = [...resubmitted];
  const untitled = givenBack.filter((item) => !takeOut(open, (named) => isSameTitle(named.title, item.title)));
  return untitled
    .filter((item) => !takeOut(open, (named) => named.path === item.path))
    .map(({ title, path, quote, told }) => ({ title, path, quote, reason: `${told}; the model withdrew it` }));
}

function takeOut(open: Named[], isAnswer: (named: Named) => boolean): boolean {
  const index = open.findIndex(isAnswer);
  if (index !== -1) open.splice(index, 1);
  return index !== -1;
}
