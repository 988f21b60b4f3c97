import { type Finding, type PlacedFinding, placed, unraised } from '../../src/core/findings/finding.ts';
import { type FindingMark, type Mark, type StickyMark, writeMark } from '../../src/core/history/mark.ts';
import { asMade, markOf, type Past, type PriorFinding } from '../../src/core/history/memory.ts';
import { noNewLines } from '../../src/core/history/new-lines.ts';
import { type MarkPlace, markKeys } from '../../src/core/history/signed-marks.ts';
import { type Message, verbatim } from '../../src/core/messages/message.ts';
import { nothingLinked, type PullRequest } from '../../src/core/pull-request/pull-request.ts';
import type { RenderContext } from '../../src/core/report/wording.ts';
import { emptyReview } from '../../src/core/review/empty-review.ts';
import type { Coverage, Metrics, Review, ReviewLimits, RunEstimate } from '../../src/core/review/review.ts';
import { verdictOf } from '../../src/core/review/say-verdict.ts';
import type { Delivery, DestinationName, ReviewRecord } from '../../src/core/review/sink.ts';
import { type Facts, type Gate, openGate } from '../../src/core/review/verdict.ts';

export { ownRemark, postedReview, remark, thread } from './remarks.ts';

/** A context as a job has it. Its redactor knows one secret: `hunter2hunter2`. */
export const context: RenderContext = {
  serverUrl: 'https://github.com',
  repository: 'acme/shop',
  redact: (text) => text.replaceAll('hunter2hunter2', '[redacted: secret]'),
  name: 'Postil',
};

/** Lines of a file, from the first to the last. */
export function linesAt(lines: readonly [number, number], quote: string, side: 'LEFT' | 'RIGHT' = 'RIGHT') {
  return { kind: 'lines', side, startLine: lines[0], endLine: lines[1], quote } as const;
}

export function finding(changes: Partial<Finding> = {}): Finding {
  return {
    id: 'f1',
    path: 'src/cart.ts',
    anchor: linesAt([12, 12], '  return items[items.length].price;'),
    title: 'The last price is read past the end',
    review: 'For any cart `items[items.length]` is undefined, so `.price` throws. Read the last index instead.',
    evidence: '`src/cart.ts:12` indexes by `length`; `checkout()` in `src/checkout.ts:40` calls it for every order.',
    citations: [
      { path: 'src/cart.ts', side: 'RIGHT', lines: '12', shows: 'indexes by length' },
      { path: 'src/checkout.ts', side: 'RIGHT', lines: '40', shows: 'calls it for every order' },
    ],
    severity: 'critical',
    category: 'bug',
    suggestion: '  return items[items.length - 1].price;',
    ruleId: null,
    confidence: 0.9,
    source: 'model',
    alsoAt: [],
    ...changes,
  };
}

export const pullRequest: PullRequest = {
  repository: 'acme/shop',
  serverUrl: 'https://github.com',
  number: 7,
  title: 'Read the last price',
  body: '',
  author: 'ada',
  state: 'open',
  draft: false,
  labels: [],
  base: { ref: 'main', sha: 'b'.repeat(40) },
  head: { ref: 'last-price', sha: 'a'.repeat(40) },
  mergeBase: 'c'.repeat(40),
  fromFork: false,
  commits: [],
  linked: nothingLinked,
  conversation: [],
  threads: [],
  reviews: [],
  discussionRead: true,
  missing: [],
};

export const metrics: Metrics = {
  cost: null,
  phases: {},
  usage: { input: 14_203, cached: 9_000, output: 812, thinking: 300, estimated: false },
  modelCalls: 3,
  iterations: 2,
  toolCalls: 4,
  tools: { read_file: { calls: 3, milliseconds: 40, cut: 0 }, search_text: { calls: 1, milliseconds: 40, cut: 0 } },
};

export const limits: ReviewLimits = {
  profile: 'thorough',
  model: 'gpt-test',
  maxIterations: 15,
  maxTotalTokens: 500_000,
  timeoutMinutes: 15,
  maxComments: 15,
  maxCost: null,
};

export const estimate: RunEstimate = { modelCalls: 4, input: 18_000, output: 2_000, cost: null };

export function coverageOf(changes: Partial<Coverage> = {}): Coverage {
  return { reviewed: [], skipped: [], unread: [], unreviewed: [], earlier: [], missing: [], ...changes };
}

export function deliveryOf(sink: DestinationName, changes: Partial<Delivery> = {}): Delivery {
  return { sink, status: 'delivered', reason: [], delivered: [], url: null, ...changes };
}

/** Of a run of which nothing is in doubt. */
export const allProven: Facts = {
  ...{ run: 'whole', files: 'proven', open: [], places: 'proven', earlier: 'known' },
  ...{ word: 'approves', approval: 'not-asked', delivery: 'proven', dismissals: 'proven' },
};

/** What a review of these findings that ended so rests on. */
function factsFor({ stop = { reason: 'completed' }, findings = [] }: Partial<Review>): Facts {
  const open = findings.filter(({ place }) => place !== 'suppressed').map(({ severity }) => severity);
  const isNothing = stop.reason === 'skipped' && stop.nothing === true;
  const ends = {
    failed: 'failed',
    cancelled: 'cancelled',
    'no-key': 'no-key',
    skipped: isNothing ? 'nothing' : 'left',
  };
  const run = Object.entries(ends).find(([reason]) => reason === stop.reason)?.[1] ?? 'whole';
  const isCode = stop.reason === 'unread' && stop.files.some(({ code }) => code);
  const files = stop.reason === 'incomplete' || isCode ? 'broken' : stop.reason === 'unread' ? 'no-code' : 'proven';
  return { ...allProven, run: runs.find((one) => one === run) ?? 'whole', files, open };
}

const runs = ['whole', 'nothing', 'left', 'no-key', 'cancelled', 'failed'] as const;

/** A clean review of three files. */
export function review(changes: Partial<Review> = {}): Review {
  return {
    ...emptyReview({ reason: 'cancelled' }, { pullRequest, milliseconds: 12_400, limits, earlier: 'known' }),
    facts: factsFor(changes),
    outcome: 'clean',
    stop: { reason: 'completed' },
    headline: [verbatim('No findings in 3 files.')],
    action: 'APPROVE',
    approved: true,
    rationale: 'The new index is right and its callers agree with it.',
    coverage: coverageOf({ reviewed: ['src/a.ts', 'src/b.ts', 'src/cart.ts'] }),
    metrics,
    estimate,
    ...changes,
  };
}

/** A record in which every finding went where it was placed. */
export function recordOf(
  changes: Partial<Review> = {},
  deliveries: readonly Delivery[] = [],
  gate: Gate = openGate,
): ReviewRecord {
  const composed = review(changes);
  const verdict = verdictOf({ review: composed, deliveries }, gate);
  return { review: composed, placed: composed.findings.map(posted), deliveries, reflection: null, verdict };
}

function posted(one: PlacedFinding): PlacedFinding {
  const isPosted = one.place === 'inline' || one.place === 'file' || one.place === 'body';
  return isPosted ? { ...one, url: `https://github.com/acme/shop/pull/7#discussion_${one.id}` } : one;
}

/** A finding whose every text is this one. */
export function findingSaying(text: string, changes: Partial<Finding> = {}): Finding {
  const texts = { path: text, title: text, review: text, evidence: text, suggestion: text, ruleId: text };
  return finding({ anchor: linesAt([9, 10], text), ...texts, alsoAt: [text], ...changes });
}

/** A record in which every text that others may write is this one, but for what is given of its findings; `saying` makes the messages. */
export function recordSaying(
  text: string,
  given: Partial<Finding> = {},
  saying: (text: string) => Message = verbatim,
): ReviewRecord {
  const message = saying(text);
  const file = { path: text, reason: message };
  const found = (id: string) => findingSaying(text, { id, ...given });
  const url = 'https://github.com/acme/shop/pull/7#discussion_r1';
  return recordOf({
    ...{
      outcome: 'findings',
      headline: [message],
      withheld: message,
      rationale: text,
      nonSpecific: [text],
      rawFreeText: text,
      notes: [message],
    },
    findings: [
      placed(found('f1'), 'inline'),
      placed(found('f2'), 'summary', { reason: message }),
      placed(found('f3'), 'body', { reason: message }),
      placed({ ...found('f5'), anchor: { kind: 'file' }, unplaced: { quote: text, reason: message } }, 'file'),
      placed({ ...found('f6'), note: message }, 'inline'),
      placed({ ...found('f7'), reviewMessages: [message] }, 'inline'),
      placed(found('f8'), 'standing', { reason: message, held: 'thread' }),
      unraised(found('f9'), { by: 'verification', reason: message }),
      unraised(found('f4'), { by: 'people', reason: { code: 'declined.by-saying', person: text, words: text } }, url),
    ],
    ...{ identity: reviewer, earlierReviews: 1, limits: { ...limits, model: text } },
    gone: [goneFinding({ title: text }, url)],
    walkthrough: [{ paths: [text, text, text, text], changes: text, checked: text }],
    coverage: coverageOf({
      ...{ reviewed: [text], earlier: [text], missing: [message] },
      ...{ skipped: [file], unreviewed: [file], unread: [{ ...file, code: true }] },
    }),
  });
}

/** The mark that a run at the head leaves of a finding. */
export function marked(one = finding(), changes: Partial<FindingMark> = {}): FindingMark {
  const { head, mergeBase } = pullRequest;
  return { ...markOf(one, { identity: reviewer, commit: head.sha, mergeBase, redact: context.redact }), ...changes };
}

/** A finding of an earlier run, whose lines are there and which nobody answered. */
export function prior(one = finding(), changes: Partial<PriorFinding> = {}): PriorFinding {
  const known = {
    held: { in: 'sticky' },
    url: null,
    signed: true,
    newLines: noNewLines,
    declines: [],
    ...asMade,
  } as const;
  const present = { kind: 'here', path: one.path, anchor: one.anchor } as const;
  return { ...known, id: `p-${one.id}`, mark: marked(one), present, declined: false, ...changes };
}

/** A finding of the review at the commit 1111…, whose lines changed since. */
export function goneFinding(changes: Partial<FindingMark> = {}, url: string | null = null): PriorFinding {
  const mark = marked(finding(), { commit: '1'.repeat(40), ...changes });
  const change = { kind: 'changed', isIntact: false, hunks: [] } as const;
  return prior(finding(), { id: 'p1', mark, url, present: { kind: 'gone' }, change, life: 'fixed', isBack: false });
}

/** Nothing changed between two commits, and everybody may write. */
export const past: Past = {
  canWrite: async () => true,
  changesBetween: async () => [],
  blobs: async (paths) => paths.map((path) => `blob of ${path}`),
  seal: async (contents, key) => (key > 0 ? null : contents.map((content) => keys.seal(content) ?? '')),
};

export const reviewer = { name: 'Review', run: '1-1', settings: '0'.repeat(16) };

/** The keys of the pull request that `review-record.ts` describes. */
export const keys = markKeys(['a-key-of-the-tests-0123456789'], { repository: 'acme/shop', number: 7 });

/** What the summary comment of this reviewer keeps after a first review. */
export function stickyMark(changes: Partial<StickyMark> = {}): StickyMark {
  return {
    ...{ kind: 'sticky', name: 'Review', run: '1-1', head: 'e'.repeat(40), mergeBase: '', base: 'main', settings: '' },
    ...{ unreviewed: [], others: [], ended: [], reviews: 1 },
    ...changes,
  };
}

/** A mark as a run with these keys writes it there. */
export function signedMark(mark: Mark, place: MarkPlace, by = keys): string {
  return writeMark(mark, (content) => by.sign(content, place));
}

/** The text of a comment on lines or a file, with its mark. */
export function signedComment(words: string, mark: Mark, by = keys): string {
  return `${words}\n\n${signedMark(mark, { in: 'thread', words }, by)}`;
}
