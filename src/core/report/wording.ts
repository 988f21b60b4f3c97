import type { Usage } from '../agent/model.ts';
import type { Anchor, Finding, PlacedFinding, SuppressedBy } from '../findings/finding.ts';
import { lifeMessage } from '../history/life.ts';
import { scopeMessage } from '../history/scope.ts';
import type { MarkKeys } from '../history/signed-marks.ts';
import { inEnglish } from '../messages/languages.ts';
import type { Message } from '../messages/message.ts';
import type { Translator } from '../messages/translator.ts';
import type { TimelineEntry } from '../review/record.ts';
import type { Review } from '../review/review.ts';
import type { Verdict } from '../review/verdict.ts';
import type { Severity } from '../settings/setting.ts';
import { cutWords, grouped } from '../text.ts';
import type { Tone } from './sections/blocks.ts';

export const severityIcons: Readonly<Record<Severity, string>> = {
  critical: '🔴',
  warning: '🟠',
  info: '🔵',
  nitpick: '⚪',
};

export function severityLabel(severity: Severity): Message {
  return { code: `severity-label.${severity}` };
}

/** Such as `🔴 Critical`: the word beside the colour, which not everybody sees. */
export function severityTitle(severity: Severity, t: Translator = inEnglish): string {
  return `${severityIcons[severity]} ${t(severityLabel(severity))}`;
}

/** Names the place of a finding. */
export function placeLabel(place: PlacedFinding['place']): Message {
  return { code: `place-label.${place}` };
}

/** Where a finding went; nothing on a laptop, where nothing is posted. */
export function placeNote({ place, reason }: Pick<PlacedFinding, 'place' | 'reason'>): readonly Message[] {
  return place === 'summary' && reason === null ? [] : [placeLabel(place)];
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
export function hasHistory({ gone, lives, round }: Review, placed: readonly PlacedFinding[]): boolean {
  return (round?.reviews ?? 0) + gone.length + lives.length > 0 || placed.some(({ place }) => place === 'standing');
}

/** What keeps a finding from being raised: stands behind a number of findings, and alone. */
export function suppressedLabel(by: SuppressedBy): Message {
  return { code: `suppressed.${by}` };
}

/** Titles a check that fails, such as `Failing: 1 critical (\`fail-on: critical\`)`; null when it does not. */
export function failureTitle({ title }: Pick<Verdict, 'title'>, t: Translator): string | null {
  return title === null ? null : cutWords(t({ code: 'failing', what: title }), titleCharacters);
}

const titleCharacters = 60;

/** What became of an earlier finding, where the reason beside it does not say so already. */
export function lifeNote({
  life,
  reason,
}: Pick<PlacedFinding, 'reason'> & { life?: PlacedFinding['life'] | undefined }): readonly Message[] {
  return life === undefined || reason?.code === lifeMessage(life).code ? [] : [lifeMessage(life)];
}

/** `about 14,203 in (9,000 cached), 812 out`; `noun` stands before `in`. */
export function tokensText(usage: Usage, noun = ''): string {
  const cached = usage.cached > 0 ? ` (${grouped(usage.cached)} cached)` : '';
  return `${usage.estimated ? 'about ' : ''}${grouped(usage.input)} ${noun}in${cached}, ${grouped(usage.output)} out`;
}

/** `10`, `10-12`, or null for a matter of the whole file. */
export function linesOf(anchor: Anchor): string | null {
  if (anchor.kind === 'file') return null;
  return anchor.startLine === anchor.endLine ? `${anchor.startLine}` : `${anchor.startLine}-${anchor.endLine}`;
}

/** `src/a.ts:10-12`; a place that the change removed says so. */
export function placeOf(finding: Pick<Finding, 'path' | 'anchor'>, t: Translator = inEnglish): string {
  const lines = linesOf(finding.anchor);
  if (lines === null) return finding.path;
  const removed = finding.anchor.kind === 'lines' && finding.anchor.side === 'LEFT';
  return `${finding.path}:${lines}${removed ? ` ${t({ code: 'place.before' })}` : ''}`;
}

/** Other places of the same matter, for a surface in English: the last item may count those that are not named. */
export function otherPlaces({ alsoAt, alsoMore = 0 }: Pick<Finding, 'alsoAt' | 'alsoMore'>): readonly string[] {
  if (alsoAt.length === 0 || alsoMore === 0) return alsoAt;
  return [...alsoAt, inEnglish({ code: 'list.and-more', count: alsoMore })];
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
  readonly t?: Translator;
};

/** What it takes to show a text that a model or the pull request wrote. */
export type SanitiseOptions = Pick<RenderContext, 'serverUrl' | 'repository' | 'redact'>;

/** What was looked at; null where nothing is remembered. */
export function scopeNote({ scope, pullRequest }: Review): Message | null {
  return scope === null || pullRequest === null ? null : scopeMessage(scope, pullRequest.head.sha);
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
