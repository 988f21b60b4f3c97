import { type Category, categories, type Severity, severities } from './setting.ts';

/** A label of the pull request, which it has for as long as all conditions hold. */
export type LabelRule = { readonly label: string; readonly all: readonly LabelCondition[] };

const operators = ['>=', '<=', '>', '<', '='] as const;
export type LabelOperator = (typeof operators)[number];

/** `severity`: one of the findings compares so; without it, their number does. */
export type LabelCondition = { readonly operator: LabelOperator } & (
  | { readonly of: 'changed' | 'files'; readonly value: number }
  | { readonly of: 'findings' | Category; readonly value: number | Severity }
);

/** GitHub takes no longer name. */
const longestName = 50;

/** Rows such as `size/XL: changed > 1000`. What cannot be read is left out. */
export function readLabelRules(rows: readonly string[]): readonly LabelRule[] {
  return rows.map(ruleIn).filter((rule) => typeof rule !== 'string');
}

/** What is wrong with the first row that cannot be read, as what is allowed instead; null when all can. */
export function labelRulesProblem(rows: readonly string[]): string | null {
  const seen = new Set<string>();
  for (const row of rows) {
    const rule = ruleIn(row);
    const name = typeof rule === 'string' ? '' : rule.label.toLowerCase();
    const why = typeof rule === 'string' ? rule : seen.has(name) ? 'this label has a row already' : null;
    if (why !== null)
      // biome-ignore lint/nursery/noBaseToString: Biome does not see that it is a text here.
      return `rows such as \`size/XL: changed > 1000\`, which ${JSON.stringify(row.slice(0, 200))} is not: ${why}`;
    seen.add(name);
  }
  return null;
}

/** A rule, or why the row is none. The name may hold a colon itself. */
function ruleIn(row: string): LabelRule | string {
  const colon = row.lastIndexOf(':');
  const label = row.slice(0, Math.max(0, colon)).trim();
  if (label === '') return 'it needs a label, a colon and a condition';
  if (label.length > longestName) return `a label has at most ${longestName} characters`;
  const all = row
    .slice(colon + 1)
    .split(/\sand\s/i)
    .map(conditionIn);
  const wrong = all.find((condition) => typeof condition === 'string');
  return wrong ?? { label, all: all.filter((condition) => typeof condition !== 'string') };
}

const counted = ['changed', 'files'] as const;
const found = ['findings', ...categories] as const;

function conditionIn(text: string): LabelCondition | string {
  const [, left = '', sign, right = ''] = /^\s*(\w+)\s*([<>]=?|=)\s*(\w+)\s*$/.exec(text.toLowerCase()) ?? [];
  const operator = operators.find((one) => one === sign);
  if (operator === undefined) return `${JSON.stringify(text.trim())} is no comparison by ${operators.join(' ')}`;
  const number = /^\d[\d_]*$/.test(right) ? Number(right.replaceAll('_', '')) : null;
  const value = number ?? severities.find((one) => one === right);
  const [size, kind] = [counted.find((one) => one === left), found.find((one) => one === left)];
  if (size !== undefined) {
    return typeof value === 'number' ? { of: size, operator, value } : `${left} is compared with a number`;
  }
  if (kind === undefined) return `\`${left}\` is none of ${[...counted, ...found].join(', ')}`;
  const allowed = `${left} is compared with a number or one of ${severities.join(', ')}`;
  return value === undefined ? allowed : { of: kind, operator, value };
}
