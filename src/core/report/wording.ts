import type { Usage } from '../agent/model.ts';
import type { Anchor, Finding, Place, PlacedFinding, SuppressedBy } from '../findings/finding.ts';
import { lifeWord } from '../memory/life.ts';
import { sentenceForScope } from '../memory/scope.ts';
import type { MarkKeys } from '../memory/signed-marks.ts';
import type { TimelineEntry } from '../review/record.ts';
import type { Review } from '../review/review.ts';
import type { Verdict } from '../review/verdict.ts';
import type { Severity } from '../settings/setting.ts';
import { cutWords, grouped } from '../text.ts';
import { english, type Say, type Sentence } from '../words/say.ts';
import type { Tone } from './sections/blocks.ts';

export const severityLabels = {
  critical: 'Critical',
  warning: 'Warning',
  info: 'Info',
  nitpick: 'Nitpick',
} as const satisfies Readonly<Record<Severity, Sentence>>;

export const severityIcons: Readonly<Record<Severity, string>> = {
  critical: '🔴',
  warning: '🟠',
  info: '🔵',
  nitpick: '⚪',
};

/** Such as `🔴 Critical`: the word beside the colour, which not everybody sees. */
export function severityTitle(severity: Severity, say: Say = english): string {
  return `${severityIcons[severity]} ${say(severityLabels[severity])}`;
}

export const placeLabels = {
  inline: 'inline comment',
  file: 'file comment',
  body: 'review text',
  annotation: 'annotation',
  summary: 'only listed here',
  suppressed: 'not shown',
  standing: 'earlier comment',
} as const satisfies Readonly<Record<Place | 'suppressed' | 'standing', Sentence>>;

/** Where a finding went; nothing on a laptop, where nothing is posted. */
export function placeNote({ place, reason }: Pick<PlacedFinding, 'place' | 'reason'>): readonly string[] {
  return place === 'summary' && reason === null ? [] : [placeLabels[place]];
}

/** Open findings, those that people declined, and all that are not raised. */
export function groups(
  placed: readonly PlacedFinding[],
): Readonly<Record<'open' | 'declined' | 'suppressed', readonly PlacedFinding[]>> {
  const suppressed = placed.filter(({ place }) => place === 'suppressed');
  return {
    open: placed.filter(({ place }) => place !== 'suppressed'),
    declined: suppressed.filter((finding) => finding.suppressed?.by === 'people'),
    suppressed,
  };
}

/** True when there is something of earlier runs to tell what is new from. */
export function hasHistory({ gone, lives, earlierReviews }: Review, placed: readonly PlacedFinding[]): boolean {
  return earlierReviews + gone.length + lives.length > 0 || placed.some(({ place }) => place === 'standing');
}

/** What keeps a finding from being raised: stands behind a number of findings, and alone. */
export const suppressedWords = {
  verification: 'disproved by verification',
  'already-there': 'already there before this change',
  'follow-up': 'withdrawn by the model',
  'rule-comment': 'ignored by a comment in the code',
  people: 'declined',
} as const satisfies Readonly<Record<SuppressedBy, Sentence>>;

/** Titles a check that fails, such as `Failing: 1 critical (\`fail-on: critical\`)`; null when it does not. */
export function failureTitle({ title }: Pick<Verdict, 'title'>, say: Say): string | null {
  return title === null ? null : cutWords(say.t({ code: 'failing', what: title }), titleCharacters);
}

const titleCharacters = 60;

/** What became of an earlier finding, where the reason beside it does not say so already. */
export function lifeNote(
  { life, reason }: Pick<PlacedFinding, 'reason'> & { life?: PlacedFinding['life'] | undefined },
  say: Say = english,
): readonly string[] {
  return life === undefined || reason === lifeWord(life, say) ? [] : [lifeWord(life, say)];
}

/** `about 14,203 in (9,000 cached), 812 out`; `noun` stands before `in`. */
export function tokensText(usage: Usage, noun = ''): string {
  const cached = usage.cached > 0 ? ` (${grouped(usage.cached)} cached)` : '';
  return `${usage.estimated ? 'about ' : ''}${grouped(usage.input)} ${noun}in${cached}, ${grouped(usage.output)} out`;
}

/** The same for people who read the review. */
export function sayTokens({ input, cached, output, estimated }: Usage, say: Say): string {
  const told =
    cached > 0
      ? say('{n} tokens in ({cached} cached), {out} out', { n: input, cached, out: output })
      : say('{n} tokens in, {out} out', { n: input, out: output });
  return estimated ? say('about {what}', { what: told }) : told;
}

/** `10`, `10-12`, or null for a matter of the whole file. */
export function linesOf(anchor: Anchor): string | null {
  if (anchor.kind === 'file') return null;
  return anchor.startLine === anchor.endLine ? `${anchor.startLine}` : `${anchor.startLine}-${anchor.endLine}`;
}

/** `src/a.ts:10-12`; a place that the change removed says so. */
export function placeOf(finding: Pick<Finding, 'path' | 'anchor'>, say: Say = english): string {
  const lines = linesOf(finding.anchor);
  if (lines === null) return finding.path;
  const removed = finding.anchor.kind === 'lines' && finding.anchor.side === 'LEFT';
  return `${finding.path}:${lines}${removed ? ` ${say('(before)')}` : ''}`;
}

/** What a report says of the run itself. */
export type RunFacts = {
  /** Of Postil. */
  readonly version: string;
  /** ISO 8601. */
  readonly startedAt: () => string;
  /** Address of the workflow run; null on a laptop. */
  readonly url: string | null;
  readonly timeline: () => readonly TimelineEntry[];
};

/** What the renderers know of the world: all of it comes from the event and the settings, nothing from the model. */
export type RenderContext = {
  /** Such as https://github.com; null on a laptop. */
  readonly serverUrl: string | null;
  /** `owner/name`; null on a laptop. */
  readonly repository: string | null;
  /** Takes secrets out of a text; called on every text that Postil did not write. */
  readonly redact: (text: string) => string;
  /** The reviewer's name, as people see it. */
  readonly name: string;
  /** Of the run that is reported; left out where nobody asks for it. */
  readonly run?: RunFacts;
  /** What the marks of a pull request are signed with; left out where nothing is posted. */
  readonly keys?: MarkKeys;
  /** True where comments may ask for something. */
  readonly hears?: boolean;
  /** In the language of the pull request; English where it is left out. */
  readonly say?: Say;
};

/** What it takes to show a text that a model or the pull request wrote. */
export type SanitiseOptions = Pick<RenderContext, 'serverUrl' | 'repository' | 'redact'>;

/** What was looked at, one sentence; empty where nothing is remembered. */
export function scopeText({ scope, pullRequest }: Review, say: Say): string {
  return scope === null || pullRequest === null ? '' : sentenceForScope(scope, pullRequest.head.sha, say);
}

/** An event as one line for people. `text` is visible characters on one line; `detail` is as it came, and untrusted. */
export type EventLine = {
  readonly level: 'info' | 'warning' | 'debug';
  /** The batch it belongs to; null for the run as a whole. */
  readonly batch: string | null;
  readonly text: string;
  /** More for who debugs: several lines, never neutralised. */
  readonly detail: string | null;
  /** How bad it is, where a log has colours. */
  readonly tone?: Tone;
};
