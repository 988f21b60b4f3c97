import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { ArtifactLocation, Fix, Log, Region, ReportingDescriptor, Result, Suppression } from 'sarif';
import { pageAddress, pageLink, repositoryAddress } from '../addresses.ts';
import type { Finding, PlacedFinding, Suppressed } from '../findings/finding.ts';
import { digestsOf } from '../history/memory.ts';
import { inEnglish } from '../messages/languages.ts';
import type { ReviewRecord } from '../review/sink.ts';
import { builtInRules } from '../rules/built-in-rules.ts';
import { reviewInEnglish } from '../rules/rule-texts.ts';
import { severities } from '../settings/setting.ts';
import { capitalised, groupBy } from '../text.ts';
import { linesAtHead } from './annotations.ts';
import { characters, codeSpan, cutText, encodedPath, removeInvisible } from './text.ts';
import { linesOf, type RenderContext, suppressedLabel } from './wording.ts';

/**
 * GitHub takes 25,000 results of one run and 10 MB of the compressed file, and shows the first 5,000: these fit, with their texts as long as
 * they may be. https://docs.github.com/en/code-security/code-scanning/troubleshooting-sarif-uploads
 */
const resultsAtMost = 5_000;

/**
 * The findings as SARIF 2.1.0, ready for the upload action: new ones and those that stand, the most important first; declined ones as
 * suppressed. Texts are plain and without secrets.
 */
export function renderSarif({ review, placed }: ReviewRecord, context: SarifContext): Log {
  const { identity, pullRequest } = review;
  const told = placed.slice(0, resultsAtMost);
  const rules = rulesOf(told);
  const indexes = new Map(rules.map(({ id }, index) => [id, index]));
  const seen = new Map<string, number>();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'Postil', semanticVersion: context.version, ...information(), rules } },
        // A trailing slash: everything before it is the category that code scanning keeps results apart by.
        automationDetails: { id: `postil/${identity?.name ?? context.name}/` },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { '%SRCROOT%': { description: { text: 'The root of the repository.' } } },
        ...provenance(pullRequest),
        results: told.map((finding) => {
          const ruleId = ruleIdOf(finding);
          return resultOf(finding, { ruleId, ruleIndex: indexes.get(ruleId) ?? 0, context, seen });
        }),
      },
    ],
  };
}

function information(): { readonly informationUri?: string } {
  const informationUri = repositoryAddress();
  return informationUri === null ? {} : { informationUri };
}

function provenance(pullRequest: ReviewRecord['review']['pullRequest']) {
  if (pullRequest === null || pullRequest.serverUrl === null || pullRequest.repository === null) return {};
  const repositoryUri = `${pullRequest.serverUrl}/${pullRequest.repository}`;
  return { versionControlProvenance: [{ repositoryUri, revisionId: pullRequest.head.sha }] };
}

/** How many findings the log has no room for. */
export function leftOutOfSarif(placed: readonly PlacedFinding[]): number {
  return Math.max(0, placed.length - resultsAtMost);
}

export type SarifContext = Pick<RenderContext, 'redact' | 'name'> & { readonly version: string };

type Form = {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly context: SarifContext;
  /** How often a fingerprint occurred already: equal ones are numbered. */
  readonly seen: Map<string, number>;
};

const messageCharacters = 4_000;

function resultOf(finding: PlacedFinding, form: Form): Result {
  const { ruleId, ruleIndex, context, seen } = form;
  const { suppressed } = finding;
  return {
    ruleId,
    ruleIndex,
    level: sarifLevels[finding.severity],
    message: { text: messageOf(finding, context) },
    locations: [{ physicalLocation: { artifactLocation: artifactOf(finding), region: regionOf(finding) } }],
    partialFingerprints: { 'postilFinding/v2': fingerprint(finding, { ruleId, seen }) },
    ...fixesOf(finding, context),
    ...(suppressed === undefined ? {} : { suppressions: [suppressionOf(suppressed, context)] }),
    properties: { confidence: finding.confidence, category: finding.category },
  };
}

function suppressionOf({ by, reason }: Suppressed, context: SarifContext): Suppression {
  const justification = plain(
    by === 'people' ? inEnglish(reason) : `${inEnglish(suppressedLabel(by))}: ${inEnglish(reason)}`,
    context,
  );
  return { kind: by === 'rule-comment' ? 'inSource' : 'external', justification };
}

function messageOf(finding: Finding, context: SarifContext): string {
  const lines = linesOf(finding.anchor);
  const removed = finding.anchor.kind === 'lines' && finding.anchor.side === 'LEFT';
  const place = removed ? `About removed lines, ${lines} before the change.` : '';
  const title = `${finding.title}.`.replace(/([.!?])\.$/, '$1');
  const text = [title, place, reviewInEnglish(finding)].filter((part) => part !== '');
  return plain(text.join('\n\n'), context);
}

function plain(text: string, { redact }: SarifContext): string {
  return cutText(removeInvisible(redact(text.trim())), { max: messageCharacters, measure: characters });
}

function artifactOf({ path }: Finding): ArtifactLocation {
  return { uri: encodedPath(path), uriBaseId: '%SRCROOT%' };
}

/** Code scanning wants a line of the new file: a matter of the whole file is shown at its first, removed lines where they stood. */
function regionOf(finding: Finding): Region {
  const { start, end } = linesAtHead(finding) ?? { start: 1, end: 1 };
  return { startLine: start, endLine: end };
}

/** The same while the lines stay the same, wherever they move; of several equal ones each its own. */
function fingerprint(finding: Finding, { ruleId, seen }: Pick<Form, 'ruleId' | 'seen'>): string {
  const lines = finding.anchor.kind === 'lines' ? digestsOf(finding.anchor.quote) : [];
  const key = JSON.stringify([ruleId, finding.path, lines]);
  const count = (seen.get(key) ?? 0) + 1;
  seen.set(key, count);
  return `${bytesToHex(sha256(utf8ToBytes(key))).slice(0, 16)}:${count}`;
}

function fixesOf(finding: Finding, context: SarifContext): { readonly fixes?: Fix[] } {
  const { anchor, suggestion, narrowed } = finding;
  if (suggestion === null || anchor.kind === 'file' || anchor.side === 'LEFT' || narrowed === true) return {};
  // A fix that differs from what was meant is worse than none.
  if (context.redact(suggestion) !== suggestion || removeInvisible(suggestion) !== suggestion) return {};
  const text = suggestion === '' ? '' : `${suggestion.replace(/\n$/, '')}\n`;
  // From the start of the first line to the start of the one behind the last.
  const deletedRegion = { startLine: anchor.startLine, startColumn: 1, endLine: anchor.endLine + 1, endColumn: 1 };
  const replacements = [{ deletedRegion, insertedContent: { text } }];
  const artifactChanges = [{ artifactLocation: artifactOf(finding), replacements }];
  return { fixes: [{ description: { text: 'The change that the reviewer suggests.' }, artifactChanges }] };
}

const sarifLevels: Readonly<Record<Finding['severity'], Result.level>> = {
  critical: 'error',
  warning: 'warning',
  info: 'note',
  nitpick: 'note',
};

/** The rule that a finding names, else one for its category. GitHub shows how severe a matter of security is by its rule alone. */
function ruleIdOf({ ruleId, category, severity }: Finding): string {
  return ruleId ?? (category === 'security' ? `postil/security-${severity}` : `postil/${category}`);
}

/** The rules of these findings, each once, in the order of the findings. */
function rulesOf(findings: readonly Finding[]): ReportingDescriptor[] {
  return [...groupBy(findings, ruleIdOf)].map(([id, all]) => ruleOf(id, all));
}

function ruleOf(id: string, findings: readonly Finding[]): ReportingDescriptor {
  const known = builtInRules.find((rule) => rule.id === id);
  const worst = severities.find((one) => findings.some(({ severity }) => severity === one)) ?? 'info';
  const severity = known?.severity ?? worst;
  const category = known?.category ?? findings[0]?.category ?? 'other';
  const name = nameOf(id);
  const title = known?.title ?? (isOwn(id) ? `${name}: found by a review` : `${name}: a rule of this repository`);
  const text = known?.guidance ?? described(id, category);
  const about = isOwn(id) ? 'reviews' : 'rules';
  const helpUri = pageAddress(`${about}.md`);
  const score = category === 'security' ? { 'security-severity': securityScores[severity] } : {};
  return {
    id,
    name,
    shortDescription: { text: title },
    fullDescription: { text: cutText(text, { max: 1_000, measure: characters }) },
    help: { text: `${title}. ${text}`, markdown: `**${title}**\n\n${text}\n\nMore: ${pageLink(`${about}.md`)}` },
    ...(helpUri === null ? {} : { helpUri }),
    defaultConfiguration: { level: sarifLevels[severity] },
    properties: { tags: [category], ...score },
  };
}

/** GitHub calls 9 and above critical, 7 high, 4 medium, and what is below low. */
const securityScores: Readonly<Record<Finding['severity'], string>> = {
  critical: '9.5',
  warning: '7.5',
  info: '5.0',
  nitpick: '2.0',
};

/** `postil/security-critical` as `Security, critical`, `floating-base-image` as `Floating base image`. A model may write any id. */
function nameOf(id: string): string {
  const words = isOwn(id)
    ? id.slice(ownPrefix.length).replace('-', ', ')
    : id.replaceAll(/[^\p{L}\p{N}]+/gu, ' ').trim();
  return capitalised(words).slice(0, 255);
}

const ownPrefix = 'postil/';

function isOwn(id: string): boolean {
  return id.startsWith(ownPrefix);
}

function described(id: string, category: string): string {
  if (!isOwn(id)) return `The repository has this rule in \`.postil/rules\`, under the id ${codeSpan(id)}.`;
  return `What the model found while it read the change, in the category ${category}. The message says what is wrong, why, and what to do; answer it on the pull request to have it dropped.`;
}
