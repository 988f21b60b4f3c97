/** Judges the regular expressions of `src` and `eval` that nobody has judged yet, and keeps the verdicts. `npm run expressions`; it takes seconds for each. */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { check } from 'recheck';
import ts from 'typescript';
import { parserFor } from '../src/core/schema.ts';
import { sourcesOf } from './sources-digest.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const file = join(root, '__tests__/fixtures/expressions.json');

export type Expression = { readonly source: string; readonly flags: string; readonly places: readonly string[] };

/** What the checker said: `safe` takes time in proportion to the text. */
export type Verdicts = { readonly [digest: string]: string };

/** Every regular expression literal of `src` and `eval`, and every `new RegExp` of a text that stands there. */
export function expressionsOf(): readonly Expression[] {
  const found = new Map<string, Expression>();
  for (const path of sourcesOf(root)) {
    const parsed = ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest, true);
    const visit = (node: ts.Node): void => {
      const read = readExpression(node);
      if (read !== null) {
        const line = parsed.getLineAndCharacterOfPosition(node.getStart()).line + 1;
        const places = [...(found.get(named(read))?.places ?? []), `${path}:${line}`];
        found.set(named(read), { ...read, places });
      }
      ts.forEachChild(node, visit);
    };
    visit(parsed);
  }
  return [...found.values()];
}

function readExpression(node: ts.Node): Pick<Expression, 'source' | 'flags'> | null {
  if (ts.isRegularExpressionLiteral(node)) {
    const end = node.text.lastIndexOf('/');
    return { source: node.text.slice(1, end), flags: node.text.slice(end + 1) };
  }
  if (!ts.isNewExpression(node) || node.expression.getText() !== 'RegExp') return null;
  const [source, flags] = node.arguments ?? [];
  if (source === undefined || !ts.isStringLiteralLike(source)) return null;
  return { source: source.text, flags: flags !== undefined && ts.isStringLiteralLike(flags) ? flags.text : '' };
}

/** As it is written in code. */
export function named({ source, flags }: Pick<Expression, 'source' | 'flags'>): string {
  return `/${source}/${flags}`;
}

export function digestOf(expression: Pick<Expression, 'source' | 'flags'>): string {
  return createHash('sha256').update(named(expression)).digest('hex').slice(0, 16);
}

const parse = parserFor({
  type: 'object',
  additionalProperties: { type: 'string' },
  required: [],
  properties: {},
} as const);

export function readVerdicts(): Verdicts {
  const read = parse(JSON.parse(readFileSync(file, 'utf8')));
  if (!read.ok) throw new Error(`${file} holds something else than verdicts.`);
  return Object.fromEntries(Object.entries(read.value).map(([digest, verdict]) => [digest, String(verdict)]));
}

async function judge({ source, flags }: Expression): Promise<string> {
  const judged = await check(source, flags, { timeout: 120_000, randomSeed: 1 });
  return judged.status === 'vulnerable' ? judged.complexity.type : judged.status;
}

async function renew(): Promise<void> {
  const known = readVerdicts();
  const verdicts = new Map<string, string>();
  for (const expression of expressionsOf()) {
    const digest = digestOf(expression);
    const verdict = known[digest] ?? (await judge(expression));
    verdicts.set(digest, verdict);
    if (verdict !== 'safe') console.log(`${verdict}: ${named(expression)} (${expression.places.join(', ')})`);
    // Each is kept at once: a run that is stopped goes on where it was.
    writeFileSync(file, `${JSON.stringify({ ...known, ...Object.fromEntries(verdicts) }, null, 1)}\n`);
  }
  writeFileSync(file, `${JSON.stringify(Object.fromEntries([...verdicts].toSorted()), null, 1)}\n`);
}

if (import.meta.main) await renew();
