import type { FinishingTool } from '../agent/tool.ts';
import { findQuote } from '../findings/find-quote.ts';
import type { Finding } from '../findings/finding.ts';
import type { GroundSources } from '../findings/ground-sources.ts';
import { isObject, type JsonObject } from '../findings/json-value.ts';
import { readQuote } from '../findings/read-quote.ts';
import { severityWord } from '../findings/severity-word.ts';
import { severities } from '../settings/severity.ts';
import type { Verdicts } from './verdicts.ts';

const number = { type: 'integer' } as const;
const text = { type: 'string' } as const;

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['confirmed', 'dismissed', 'adjusted'],
  properties: {
    confirmed: { type: 'array', items: number },
    dismissed: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['finding', 'path', 'quote', 'reason'],
        properties: { finding: number, path: text, quote: text, reason: text },
      },
    },
    adjusted: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['finding', 'severity', 'review'],
        properties: { finding: number, severity: { enum: severities }, review: text },
      },
    },
  },
} as const;

/** Asks once for a dismissal whose quote was not found; then the finding stays. */
const maxRefusals = 1;

export type SubmitVerification = { readonly tool: FinishingTool; verdicts(): Verdicts };

/** The finishing tool of a verification. Findings are numbered from 1. A dismissal counts only when its quote is in the source. */
export function submitVerification(findings: readonly Finding[], sources: GroundSources): SubmitVerification {
  const confirmed = new Set<string>();
  const dismissed = new Map<string, string>();
  const adjusted = new Map<string, { severity: Finding['severity'] | null; review: string }>();
  let refusals = 0;
  const numbered = (item: unknown) => findings[Number(isObject(item) ? item['finding'] : item) - 1];

  const take = async (value: JsonObject) => {
    for (const item of list(value['confirmed'])) {
      const finding = numbered(item);
      if (finding !== undefined) confirmed.add(finding.id);
    }
    for (const item of list(value['adjusted'])) {
      const finding = numbered(item);
      if (finding !== undefined && isObject(item)) adjusted.set(finding.id, adjustment(item));
    }
    const refused: string[] = [];
    for (const item of list(value['dismissed'])) {
      const finding = numbered(item);
      if (finding === undefined || !isObject(item)) continue;
      const problem = await dismissalProblem(item, sources);
      if (problem === null) dismissed.set(finding.id, textOf(item['reason']));
      else refused.push(`#${findings.indexOf(finding) + 1}: ${problem}`);
    }
    return refused;
  };

  const tool: FinishingTool = {
    name: 'submit_verification',
    description: 'Give your verdict on each finding, and end.',
    parameters: schema,
    parse: (value) => (isObject(value) ? { ok: true, value } : { ok: false, problems: ['it must be an object'] }),
    finish: async (value) => {
      const refused = await take(isObject(value) ? value : {});
      if (refused.length === 0 || refusals >= maxRefusals) return { done: true, text: 'Taken.' };
      refusals += 1;
      return {
        done: false,
        text: `Not dismissed: ${refused.join('; ')}. Submit these again with a line that is in the source, or leave them out; the rest is taken.`,
      };
    },
  };
  return { tool, verdicts: () => ({ confirmed, dismissed, adjusted }) };
}

/** Why a dismissal proves nothing; null when it does. */
async function dismissalProblem(item: JsonObject, sources: GroundSources): Promise<string | null> {
  if (textOf(item['reason']) === '') return 'the reason is empty';
  const path = textOf(item['path']);
  const quote = typeof item['quote'] === 'string' ? item['quote'] : '';
  for (const side of ['RIGHT', 'LEFT'] as const) {
    const lines = await sources.read(path, side);
    const readings = readQuote(quote, side).filter((reading) => reading.lines.some((line) => line.trim() !== ''));
    if (
      lines !== null &&
      findQuote(
        readings,
        lines.map((line) => line.text),
      ) !== null
    )
      return null;
  }
  return `the quote is not in ${JSON.stringify(path.slice(0, 200))}`;
}

function adjustment(item: JsonObject): { severity: Finding['severity'] | null; review: string } {
  const word = severityWord(textOf(item['severity']).toLowerCase());
  return { severity: severities.find((severity) => severity === word) ?? null, review: textOf(item['review']) };
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
