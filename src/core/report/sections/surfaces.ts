import { inEnglish } from '../../messages/languages.ts';
import type { Message } from '../../messages/message.ts';
import type { Translator } from '../../messages/translator.ts';
import { namedFiles, stopMessages } from '../../review/headline.ts';
import type { Review } from '../../review/review.ts';
import type { ReviewRecord } from '../../review/sink.ts';
import { firstSentences, groupBy } from '../../text.ts';
import { pathOf } from '../json.ts';
import { idsShown } from '../next-state.ts';
import { bytes, characters, type Limit } from '../text.ts';
import { failureTitle, groups, type RenderContext } from '../wording.ts';
import { type Block, fold, type Line, lineOf, listOf, proseOf, type Tone } from './blocks.ts';
import { cost, costText } from './cost.ts';
import { findingsTable } from './findings-table.ts';
import * as section from './sections.ts';
import { convergence, spokenFor, stateOf } from './state.ts';

export type SurfaceContext = RenderContext & {
  /** How the workflow names this reviewer, which tells it from others; null where it does not. */
  readonly reviewer?: string | null;
  /** Where the summary comment is read; only a review names it. */
  readonly summaryComment?: string;
  /** Open findings for which the state has no room. */
  readonly beyond?: number;
};

type Amounts = {
  /** Rows of the table of findings, of each kind. */
  readonly rows: number;
  /** Paths in a line about files. */
  readonly paths: number;
  /** Characters of the prompt for an agent. */
  readonly prompt: number;
};

type Section = (
  record: ReviewRecord,
  context: SurfaceContext & { readonly t: Translator },
  amounts: Amounts,
) => readonly Block[];

/** Everything that is said of a review, each thing once. What a surface does not name it does not say. */
const sections = {
  state: (record, context) => [
    { kind: 'heading', level: 3, line: stateOf(record, { reviewer: context.reviewer ?? null, t: context.t }) },
  ],
  title: ({ review }, { name, t }) => {
    const { title, rest } = section.partsOfHeadline(t.sentences(review.headline));
    const line = [{ said: name }, ' · ', { said: title.replace(/[.:。：]$/, '') }];
    return [{ kind: 'heading', level: 2, line }, ...rest];
  },
  headline: (record, context) => {
    const said = context.t.sentences(record.review.headline);
    return [{ kind: 'line', line: [{ strong: [{ said, max: 2_000 }] }], tone: toneOf(record) }];
  },
  'summary comment': (_, { summaryComment, t }) =>
    summaryComment === undefined ? [] : lineOf(t({ code: 'summary.rest', url: summaryComment })),
  failing: ({ verdict }, context) => {
    const title = failureTitle(verdict, context.t);
    return title === null ? [] : lineOf({ strong: [{ said: title }] });
  },
  withheld: ({ review: { withheld } }, context) => (withheld === null ? [] : lineOf({ said: context.t(withheld) })),
  // One sentence, or the few that fit beside it; a clean review keeps all that the model says of it.
  verdict: ({ review: { outcome, rationale } }) =>
    outcome === 'clean'
      ? proseOf(rationale, 2_000)
      : lineOf({ said: firstSentences(rationale, sentenceCharacters), max: 2 * sentenceCharacters }),
  rationale: ({ review: { rationale } }) => proseOf(rationale, 4_000),
  convergence: (record, context) => convergence(record, context.t),
  // What was not read is listed below, each with its reason.
  'why partial': ({ review: { outcome, stop } }, context) =>
    outcome === 'partial' && stop.reason !== 'unread'
      ? lineOf({ said: context.t.sentences(stopMessages(stop)), max: 2_000 })
      : [],
  'not reviewed': ({ review }, context) => section.notReviewed(review.coverage, context.t),
  'not reviewed beside the headline': ({ review }, { t }) =>
    section.notReviewed(review.coverage, t, namedFiles(review.headline)),
  findings: (record, context, { rows }) => {
    const links = { context, pullRequest: record.review.pullRequest };
    return findingsTable(record, { links, most: rows, delivered: false, ids: idsShown(record) });
  },
  'findings with their places': (record, context, { rows }) => {
    const links = { context, pullRequest: record.review.pullRequest };
    // Without a summary comment the next run would not know what an id is about.
    const isKnown = record.deliveries.some(({ sink, status }) => sink === 'summary comment' && status === 'delivered');
    const ids = isKnown ? idsShown(record) : new Map<string, string>();
    return findingsTable(record, { links, most: rows, delivered: true, ids });
  },
  'findings told nowhere else': ({ review, placed }, context) => toldOnlyHere(placed, review, context.t),
  'all findings': ({ review, placed }) =>
    groups(placed)
      .open.filter(({ belowThreshold }) => belowThreshold !== true)
      .map((finding) => ({ kind: 'finding', finding, pullRequest: review.pullRequest })),
  'findings that are not kept': (_, { beyond: count = 0, t }) =>
    count === 0 ? [] : lineOf(t({ code: 'findings.not-kept', count })),
  'general words': ({ review }, context) => section.generalWords(review, context.t),
  walkthrough: ({ review }, context) => section.walkthrough(review, context.t),
  'what changes': ({ review }, context) => [
    ...section.whatChanges(review.walkthrough, context.t),
    ...section.ownBlock(context.t),
  ],
  'what was reviewed': ({ review }, context, { paths }) =>
    section.whatWasReviewed(review, { most: paths, t: context.t }),
  skipped: ({ review }, context, { paths }) =>
    listOf(section.skippedItems(review.coverage, { most: paths, t: context.t })),
  'not raised': (record, context) => section.foldedNotRaised(record, context.t),
  'all not raised': ({ placed }, context) => section.notRaised(groups(placed).suppressed, context.t),
  'below thresholds': ({ placed }, context) => belowThresholds(placed, context.t),
  prompt: ({ placed }, context, { prompt: max }) => section.foldedPrompt(placed, { ...context, max }),
  undelivered: ({ deliveries }, context) => section.undelivered(deliveries, context.t),
  notes: (record) => section.notes(record, inEnglish),
  cost: ({ review }) => cost(review),
  'cost in a line': ({ review }) => lineOf(costText(review)),
  'spoken for': (record, context) => [{ kind: 'line', line: spokenFor(record, context), small: true }],
  page: ({ deliveries }, context) => whereThePageIs(pathOf(deliveries, 'report-html'), context),
} as const satisfies Readonly<Record<string, Section>>;

export type SectionName = keyof typeof sections;

const inSummary = { code: 'cut.job-summary' } as const;

/** What is said where, from the top, and how much of it: what is longer is cut, and ends with the pointer. */
export const surfaces = {
  'summary comment': {
    sections: [
      ...([
        'state',
        'failing',
        'withheld',
        'verdict',
        'convergence',
        'why partial',
        'not reviewed',
        'findings',
      ] as const),
      ...(['findings that are not kept', 'undelivered', 'walkthrough', 'what was reviewed'] as const),
      ...(['prompt', 'spoken for'] as const),
    ],
    // What GitHub takes.
    ...{ max: 65_536, measure: characters, pointer: inSummary },
    ...{ rows: 50, paths: 50, prompt: 20_000 },
  },
  'job summary': {
    sections: [
      ...(['title', 'not reviewed beside the headline', 'rationale', 'general words'] as const),
      ...(['findings with their places', 'findings told nowhere else', 'walkthrough', 'what was reviewed'] as const),
      ...(['prompt', 'undelivered', 'not raised', 'notes', 'cost', 'page'] as const),
    ],
    // The runner drops a summary over 1 MiB: some room is left for what other lines of the step add.
    ...{ max: 1_000_000, measure: bytes },
    pointer: { code: 'cut.report-file' },
    ...{ rows: 1_000, paths: 200, prompt: 100_000 },
  },
  /** All of it is translated: of the job summary it lacks the details, which are English. */
  'check run': {
    sections: [
      ...(['title', 'not reviewed beside the headline', 'rationale', 'general words'] as const),
      ...(['findings with their places', 'findings told nowhere else', 'walkthrough', 'what was reviewed'] as const),
      ...(['prompt', 'undelivered', 'not raised'] as const),
    ],
    ...{ max: 1_000_000, measure: bytes },
    pointer: { code: 'cut.job-summary' },
    ...{ rows: 1_000, paths: 200, prompt: 100_000 },
  },
  /** The head of a review's text: the findings outside the diff follow. */
  review: {
    sections: ['headline', 'summary comment', 'general words'],
    ...{ max: 12_000, measure: characters, pointer: inSummary },
    ...{ rows: 0, paths: 0, prompt: 0 },
  },
  /** A block in the description of the pull request: what changes from run to run though the change does not is not in it. */
  description: {
    sections: ['what changes'],
    ...{ max: 65_536, measure: characters, pointer: { code: 'cut.here' } },
    ...{ rows: 0, paths: 0, prompt: 0 },
  },
  terminal: {
    sections: [
      ...(['all findings', 'general words', 'headline', 'rationale', 'not reviewed', 'skipped'] as const),
      ...(['all not raised', 'below thresholds', 'notes', 'cost in a line'] as const),
    ],
    ...{ max: Number.POSITIVE_INFINITY, measure: characters, pointer: null },
    ...{ rows: 0, paths: 20, prompt: 0 },
  },
} as const satisfies Readonly<Record<string, Surface>>;

type Surface = Omit<Limit, 'pointer'> &
  Amounts & { readonly pointer: Message | null; readonly sections: readonly SectionName[] };

/** What one section says of a review on this surface. */
export function sectionOf(
  name: SectionName,
  record: ReviewRecord,
  { context, amounts }: { context: SurfaceContext; amounts: Amounts },
): readonly Block[] {
  return sections[name](record, { ...context, t: context.t ?? inEnglish }, amounts);
}

const sentenceCharacters = 300;

function toneOf({ review, placed }: ReviewRecord): Tone {
  if (review.outcome === 'clean') return 'good';
  if (review.outcome === 'skipped') return 'info';
  if (review.outcome === 'failed') return 'bad';
  const open = groups(placed).open.map(({ severity }) => severity);
  if (open.includes('critical')) return 'bad';
  const isSmall = review.outcome === 'findings' && !open.includes('warning');
  return isSmall ? 'info' : 'warning';
}

const shownInFull = 100;
const shownAtOnce = 10;

/** An annotation says one sentence: the whole of it stands here, like that of what is only listed. */
function toldOnlyHere(placed: ReviewRecord['placed'], { pullRequest }: Review, t: Translator): readonly Block[] {
  const here = groups(placed).open.filter(({ place }) => place === 'summary' || place === 'annotation');
  if (here.length === 0) return [];
  const blocks = here.slice(0, shownInFull).map((finding) => ({ kind: 'finding', finding, pullRequest }) as const);
  const rest = here.length - blocks.length;
  const folded = blocks.slice(shownAtOnce);
  return [
    { kind: 'heading', level: 3, line: [t({ code: 'findings.in-full' })] },
    ...blocks.slice(0, shownAtOnce),
    ...fold(t({ code: 'findings.more', count: folded.length }), folded),
    ...(rest > 0 ? lineOf(t({ code: 'findings.more-in-report', count: rest })) : []),
  ];
}

/** How many findings a threshold keeps back, which the headline counts. */
function belowThresholds(placed: ReviewRecord['placed'], t: Translator): readonly Block[] {
  const kept = groups(placed).open.filter(({ belowThreshold }) => belowThreshold === true);
  const reasons = [...groupBy(kept, ({ reason }) => (reason === null ? '' : t(reason)))];
  return listOf(
    reasons.map(([said, same]) => [
      t({ code: 'findings.below-threshold', count: same.length }),
      ' ',
      { said },
      t({ code: 'punctuation.stop' }),
    ]),
  );
}

/** The workflow uploads it after this step, if it does: the run's page has it then among its artifacts. */
function whereThePageIs(path: string | null, context: RenderContext): readonly Block[] {
  if (path === null) return [];
  const run = context.run?.url ?? null;
  const file: Line = ['HTML report: ', { name: path }];
  if (run === null) return lineOf(...file, '.');
  return lineOf(...file, `; when the workflow uploads it, it is among the [artifacts of this run](${run}#artifacts).`);
}
