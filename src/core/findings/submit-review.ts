import type { FinishingTool, SubmissionAnswer } from '../agent/tool.ts';
import { inEnglish } from '../messages/languages.ts';
import type { Parsed, Schema } from '../schema.ts';
import { parseFinalText, readAccepted, type Understood } from './accepted-formats.ts';
import { type AcceptedItem, checkItem, type FailedItem, findingFrom, type ItemOptions } from './check-item.ts';
import { type EarlierAnswer, earlierFindingsSchema, groundEarlier, oneForEach, type RecheckItem } from './earlier.ts';
import { type Finding, suppress } from './finding.ts';
import { answerTo, hasNoProof, notTakenUp } from './give-back.ts';
import { completeItems } from './loose-json.ts';
import { gatherCauses, mergeFindings, withoutEchoes } from './merge.ts';
import { mergeSubmissions, type NormalisedSubmission, normaliseSubmission } from './read-submission.ts';
import { isOne } from './similarity.ts';
import { findChangedFile } from './subject.ts';
import {
  type Approval,
  saysApproval,
  submissionSchema,
  type UnaskedField,
  withFields,
  withoutFields,
  withoutWalkthrough,
} from './submission.ts';
import { eachFileOnce, readWalkthrough, type WalkthroughLine } from './walkthrough.ts';
import { followUpFields, isObject, type ReadRequest } from './words.ts';

export type SubmitReviewOptions = ItemOptions & {
  /** Whether a line about each group of files is asked for; it is when this is left out. */
  readonly walkthrough?: boolean;
  /** Fields that nothing in the prompt gives a value for. */
  readonly unasked?: readonly UnaskedField[];
  /** Earlier findings that it is asked about; none when this is left out. */
  readonly asked?: readonly RecheckItem[];
  /** Whether the model may ask for lines, and is called once more. */
  readonly followUp?: boolean;
  readonly onAccept?: (finding: Finding) => void;
  /** Called each time an item is given back, also when the model may still fix it. */
  readonly onUnplaced?: (item: GivenBack) => void;
};

/** The finishing tool of one batch's review, and what came of it. */
export type SubmitReview = {
  readonly tool: FinishingTool;
  /** The same bytes for the second call of a follow-up, which may also judge what was found so far. It is the last: nothing is given back. */
  readonly second: FinishingTool;
  result(): SubmissionResult;
};

export type SubmissionResult = {
  /** Those that could not be placed at the end of it. */
  readonly findings: readonly Finding[];
  /** Given back to the model, which then said that there is nothing to it. */
  readonly withdrawn: readonly Finding[];
  /** Items without a word that could be read: whatever they meant is lost. */
  readonly unreadable: number;
  /** Null until something was submitted. */
  readonly approval: Approval | null;
  /** By the paths in the diff, each in one line. */
  readonly walkthrough: readonly WalkthroughLine[];
  readonly nonSpecificReview: string | null;
  /** What became of those of `asked` that the model named. */
  readonly earlier: readonly EarlierAnswer[];
  /** The last lines that were asked for; null when there were none. */
  readonly contextRequest: ReadRequest | null;
  /** Null until the second call was answered. */
  readonly second: NormalisedSubmission | null;
  readonly submitted: boolean;
};

// A model that cannot fix an item in two attempts will not in three.
const maxReturns = 2;

export function submitReview(options: SubmitReviewOptions): SubmitReview {
  const review = new SubmittedReview(options);
  const requests = options.followUp === true;
  const toolFor = (take: Take, understood: Understood): FinishingTool => ({
    name: 'submit_review',
    description: 'Submit the review, which ends it.',
    parameters: parametersFor(options),
    parse: parseLeniently,
    finish: (value, also = []) => take(mergeSubmissions([value, ...also].map((one) => readArguments(one, understood)))),
    takeText: (text) => takeFinalText(text, { take, understood }),
    takeCut: (text) => review.takeCut(text),
  });
  return {
    tool: toolFor((submission) => review.take(submission), { requests }),
    second: toolFor((submission) => review.takeSecond(submission), { requests, verdicts: true }),
    result: () => review.result(),
  };
}

type Take = (submission: NormalisedSubmission) => Promise<SubmissionAnswer>;

/** The schema as far as it is asked for. */
function parametersFor({
  walkthrough = true,
  unasked = [],
  asked = [],
  followUp = false,
}: SubmitReviewOptions): Schema {
  const wanted = withoutFields(submissionSchema, unasked);
  return withFields(walkthrough ? wanted : withoutWalkthrough(wanted), {
    ...(followUp ? followUpFields : {}),
    ...(asked.length === 0 ? {} : { earlier_findings: earlierFindingsSchema }),
  });
}

const fromMildest: readonly Approval['action'][] = ['APPROVE', 'COMMENT', 'REQUEST_CHANGES'];

function isMilder(one: Approval, other: Approval | null): boolean {
  return other !== null && fromMildest.indexOf(one.action) < fromMildest.indexOf(other.action);
}

function readArguments(value: unknown, understood: Understood): NormalisedSubmission {
  const accepted = readAccepted(value, understood);
  return accepted?.kind === 'submission' ? accepted.submission : normaliseSubmission(value);
}

export const submitNow =
  'Your review was not submitted with submit_review. Call submit_review now with what you found: the same findings, nothing new. An empty list is fine when there are none.';

/** An accepted format is taken as it is, free text is asked for again; null for a text that is no review. */
async function takeFinalText(
  text: string,
  { take, understood }: { take: Take; understood: Understood },
): Promise<SubmissionAnswer | null> {
  const parsed = parseFinalText(text, understood);
  if (parsed.kind === 'submission') return take(parsed.submission);
  // "Let me check the file…" is no review: to ask for its findings would turn it into an empty one.
  return parsed.kind === 'free-text' ? { done: false, text: submitNow } : null;
}

/** The strict schema is for the model's eyes; what it sends is normalised, and bad items are answered one by one. */
function parseLeniently(value: unknown): Parsed<unknown> {
  if (isObject(value) || Array.isArray(value)) return { ok: true, value };
  return { ok: false, problems: ['the arguments must be an object with files_review and approval'] };
}

/** Keeps what was accepted over a model's attempts to submit. */
class SubmittedReview {
  readonly #options: SubmitReviewOptions;
  readonly #withdrawn: Finding[] = [];
  /** Given back, and not taken up again by a submission of other items. */
  readonly #left: FailedItem[] = [];
  #walkthrough: readonly WalkthroughLine[] = [];
  #findings: readonly Finding[] = [];
  #earlier: readonly EarlierAnswer[] = [];
  #failed: readonly FailedItem[] = [];
  #approval: Approval | null = null;
  #nonSpecificReview: string | null = null;
  #contextRequest: ReadRequest | null = null;
  #second: NormalisedSubmission | null = null;
  #returns = 0;
  /** Given back for their citations; null until there is something to give back. */
  #recited: readonly AcceptedItem[] | null = null;

  constructor(options: SubmitReviewOptions) {
    this.#options = options;
  }

  async take(submission: NormalisedSubmission): Promise<SubmissionAnswer> {
    if (submission.problems.length > 0)
      return this.#giveBack(submission.problems.join('; '), 'returned, because it could not be read');

    const checked = await Promise.all(submission.items.map((item) => checkItem(item, this.#options)));
    const failed = checked.filter((item) => !item.ok);
    const accepted = checked.filter((item) => item.ok);
    // To a second call nothing was given back: what it does not mention stays.
    if (checked.length === 0 && this.#second === null) this.#withdrawn.push(...this.#failed.flatMap(withdrawnItem));
    else
      this.#left.push(
        ...notTakenUp(this.#failed, { by: checked, recited: this.#recited ?? [], files: this.#options.files }),
      );
    this.#failed = failed;
    this.#keepWords(submission);
    this.#keepLines(submission.walkthrough);
    await this.#keepEarlier(submission.earlier);
    this.#accept(accepted);
    for (const { finding, told } of failed) this.#options.onUnplaced?.({ ...finding, reason: inEnglish(told) });
    const miscited = this.#miscited(accepted);
    if (failed.length === 0 && !miscited.some(hasNoProof)) return this.#finish();
    this.#recited = miscited;
    const text = answerTo({ accepted, failed, miscited }, this.#options);
    return this.#giveBack(text, `${accepted.length} accepted, ${failed.length + miscited.length} returned`);
  }

  async takeSecond(submission: NormalisedSubmission): Promise<SubmissionAnswer> {
    if (submission.problems.length > 0) return { done: false, text: submission.problems.join('; ') };
    this.#second = submission;
    await this.take(submission);
    return { done: true, text: 'Taken.' };
  }

  /** The complete findings of a submission that was cut. It is no review yet: the rest and the approval are asked for. */
  async takeCut(text: string): Promise<string | null> {
    const items = completeItems(text, 'files_review');
    this.#keepLines(readWalkthrough(completeItems(text, 'walkthrough')));
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
    const lost = [...this.#left, ...this.#failed];
    return {
      findings: [...this.#findings, ...findingsIn(lost)],
      withdrawn: this.#withdrawn,
      unreadable: lost.filter(({ isBlank }) => isBlank).length,
      approval: this.#approval,
      walkthrough: this.#walkthrough,
      nonSpecificReview: this.#nonSpecificReview,
      earlier: this.#earlier,
      contextRequest: this.#contextRequest,
      second: this.#second,
      submitted: this.#approval !== null,
    };
  }

  /** What was accepted before and comes again with a resubmission is not doubled. */
  #accept(items: readonly AcceptedItem[]): void {
    const findings = withoutEchoes(items.map((accepted) => findingFrom(accepted, this.#options)));
    const merged = gatherCauses(mergeFindings([this.#findings, findings], isOne.inConversation));
    const known = new Set(this.#findings.map(({ id }) => id));
    const added = merged.filter(({ id }) => !known.has(id));
    this.#findings = merged;
    for (const finding of added) this.#options.onAccept?.(finding);
  }

  /** A resubmission brings the failing items alone; what it leaves unsaid was said before. */
  #keepWords({ approval, nonSpecificReview, contextRequest }: NormalisedSubmission): void {
    // An empty resubmission often says "nothing to fix" of itself: what was accepted still stands.
    const forgetful = this.#findings.length > 0 && isMilder(approval, this.#approval);
    if (this.#approval === null || (saysApproval(approval) && !forgetful)) this.#approval = approval;
    this.#nonSpecificReview = nonSpecificReview ?? this.#nonSpecificReview;
    this.#contextRequest = contextRequest ?? this.#contextRequest;
  }

  /** Accepted items that cite what is not there, once in a review: what is still wrong then is left out. */
  #miscited(accepted: readonly AcceptedItem[]): readonly AcceptedItem[] {
    return this.#recited !== null ? [] : accepted.filter(({ proof }) => proof.problems.length > 0);
  }

  /** On each that it was asked about: where its words contradict each other, the finding stays. */
  async #keepEarlier(answers: NormalisedSubmission['earlier']): Promise<void> {
    for (const answer of answers) {
      const asked = this.#options.asked?.find(({ id }) => id === answer.id);
      if (asked === undefined) continue;
      this.#earlier = oneForEach([...this.#earlier, await groundEarlier(answer, { asked, sources: this.#options })]);
    }
  }

  /** The latest of each file. A line on what is not in the diff says nothing that a reader looks for. */
  #keepLines(lines: readonly WalkthroughLine[]): void {
    const pathsIn = (paths: readonly string[]) =>
      paths.flatMap((path) => findChangedFile(path, this.#options.files)?.path ?? []);
    const known = lines.map((line) => ({ ...line, paths: pathsIn(line.paths) }));
    this.#walkthrough = eachFileOnce([...known, ...this.#walkthrough]);
  }

  /** Gives back at most twice. Before anything was submitted there is no review to end with: the run's own limits end that. */
  #giveBack(text: string, told: string): SubmissionAnswer {
    if (this.#approval !== null && ++this.#returns > maxReturns) return this.#finish();
    return { done: false, text, told };
  }

  #finish(): SubmissionAnswer {
    for (const finding of findingsIn([...this.#left, ...this.#failed])) this.#options.onAccept?.(finding);
    const [accepted, lost] = [this.#findings.length, this.#failed.length];
    const left = lost === 0 ? '' : ` ${lost} could not be placed.`;
    const told = `${accepted} accepted${lost === 0 ? '' : `, ${lost} unplaced`}`;
    return { done: true, text: `The review is submitted: findings accepted: ${accepted}.${left}`, told };
  }
}

/** An item that goes back to the model; the reason is for people. */
export type GivenBack = Pick<Finding, 'title' | 'path'> & { readonly reason: string };

function findingsIn(items: readonly FailedItem[]): readonly Finding[] {
  return items.flatMap(({ finding, isBlank }) => (isBlank ? [] : [finding]));
}

function withdrawnItem({ finding, isBlank, told }: FailedItem): readonly Finding[] {
  return isBlank ? [] : [suppress(finding, { by: 'follow-up', reason: told })];
}
