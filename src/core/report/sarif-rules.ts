import type { Finding } from '../findings/finding.ts';
import { builtInRules } from '../rules/built-in-rules.ts';
import { severities } from '../settings/severity.ts';
import type { SarifLevel, SarifRule } from './sarif-schema.ts';

export const sarifLevels: Readonly<Record<Finding['severity'], SarifLevel>> = {
  critical: 'error',
  warning: 'warning',
  info: 'note',
  nitpick: 'note',
};

/** The rule that a finding names, else one for its category. */
export function ruleIdOf({ ruleId, category }: Finding): string {
  return ruleId ?? `postil/${category}`;
}

/** The rules of these findings, each once, in the order of the findings. */
export function rulesOf(findings: readonly Finding[]): readonly SarifRule[] {
  const byRule = new Map<string, Finding[]>();
  for (const finding of findings) {
    const id = ruleIdOf(finding);
    const known = byRule.get(id) ?? [];
    byRule.set(id, known);
    known.push(finding);
  }
  return [...byRule].map(([id, all]) => ruleOf(id, all));
}

function ruleOf(id: string, findings: readonly Finding[]): SarifRule {
  const known = builtInRules.find((rule) => rule.id === id);
  const worst = severities.find((severity) => findings.some((finding) => finding.severity === severity)) ?? 'info';
  const category = known?.category ?? findings[0]?.category ?? 'other';
  return {
    id,
    shortDescription: { text: known?.title ?? described(id, category) },
    defaultConfiguration: { level: sarifLevels[known?.severity ?? worst] },
    properties: { tags: [category] },
  };
}

function described(id: string, category: string): string {
  return id === `postil/${category}` ? `What a reviewer says of ${category}.` : `The rule ${id} of the repository.`;
}
