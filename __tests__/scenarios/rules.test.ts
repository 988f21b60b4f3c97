import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { grammars } from '../../src/adapters/syntax/languages.ts';
import { openSyntax } from '../../src/adapters/syntax/syntax.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { call, fault, submit } from '../fakes/model-server/script.ts';
import { builtFile } from './harness.ts';
import { review, totalWorld, wrongLineFinding } from './review.ts';

const secret = 'acme-k3jd8slq0zx7v2b4';
const ownToken = rule('acme-token', {
  entropy: '3',
  pattern: '(acme-[a-z0-9]{16})',
  title: 'A token of ours is committed',
});
const leak = {
  base: { ...totalWorld.base, '.postil/rules/acme-token.md': ownToken },
  head: { ...totalWorld.head, 'src/client.ts': `export const client = connect('${secret}');\n` },
};
const chatty = { ...wrongLineFinding, title: 'The loop reads one past the end', review: `Also ${secret} is bad.` };

function rule(id: string, fields: Readonly<Record<string, string>>): string {
  const front = Object.entries({ id, title: id, severity: 'warning', category: 'security', ...fields });
  return `---\n${front.map(([key, value]) => `${key}: ${value}`).join('\n')}\n---\nSay of ${id} what the team agreed on.\n`;
}

describe('a credential that a rule of the repository found', () => {
  const files = ['report-file', 'sarif-file', 'progress-file', 'transcript-file'];

  it('is reported where it is new, and stands in no output, file, comment or prompt, wherever it is', async () => {
    const folder = temporaryFolder();
    const inputs = Object.fromEntries(files.map((name) => [name, join(folder, name)]));
    // One is removed, one stays beside changed lines, one is in a file that the change does not touch.
    const [gone, near, far] = ['acme-h5gn2wpe8ru1oy4t', 'acme-w9xc3vb7nm1qa5sd', 'acme-p4tr8mzk6hy2ju0f'];
    const other = { 'src/far.ts': `use('${far}');\n` };
    const { github, model, run } = await review({
      world: {
        base: { ...leak.base, ...other, 'src/old.ts': `connect('${gone}');\n// ${near}\n` },
        head: { ...leak.head, ...other, 'src/old.ts': `connect('none');\n// ${near}\n` },
      },
      model: [
        call('read_file', { path: 'src/client.ts' }),
        call('search_text', { pattern: 'use(', path: null, file_pattern: null, regex: false }),
        submit([{ ...chatty, review: `${secret}, ${gone} and ${near} are bad.` }]),
      ],
      inputs,
    });
    const found = github.comments().map(({ path, line }) => `${path}:${line}`);
    expect([run.outputs['outcome'], found.toSorted()]).toEqual(['findings', ['src/client.ts:1', 'src/total.ts:4']]);
    const asked = model.requests.slice(0, 3).map((request) => JSON.stringify(request));
    expect(asked.at(-1)).toContain("connect('[redacted: secret]')");
    const told = [run.log, run.summary, JSON.stringify(run.outputs), JSON.stringify(github.writes())];
    const written = files.map((name) => readFileSync(inputs[name] ?? '', 'utf8'));
    for (const text of [...asked, ...told]) {
      expect([secret, gone, near, far].filter((token) => text.includes(token))).toEqual([]);
    }
    expect(written.filter((text) => [secret, gone, near, far].some((token) => text.includes(token)))).toEqual([]);
    expect(told.join()).toContain('[redacted: secret], [redacted: secret] and [redacted: secret] are bad.');
  });
});

describe('a comment postil-ignore', () => {
  const noSum = rule('no-sum', { pattern: 'sum \\+=', title: 'Sums are added up by hand' });
  const line = '  // postil-ignore: no-sum the loop is measured';
  const before = totalWorld.base['src/total.ts'].replace('  for', `${line}\n  for`);
  const after = before.replace('for (const price of prices)', 'for (const price of prices.slice(1))');

  it('that stood at the base is obeyed, by rules and by the model, and every list says so', async () => {
    const folder = temporaryFolder();
    const inputs = { 'report-file': join(folder, 'report'), 'sarif-file': join(folder, 'sarif') };
    const quote = '  for (const price of prices.slice(1)) sum += price;';
    const found = { ...wrongLineFinding, quote, rule_id: 'no-sum' };
    const { github, model, run } = await review({
      world: { base: { '.postil/rules/a.md': noSum, 'src/total.ts': before }, head: { 'src/total.ts': after } },
      model: [submit([found, { ...found, title: 'The first price is left out', rule_id: null }])],
      inputs,
    });
    expect(model.requests[0]?.prompt).toMatch(
      /Already reported by pattern rules[\s\S]*src\/total\.ts:5 Sums are added up/,
    );
    expect([github.comments().length, run.outputs['findings']]).toEqual([1, '1']);
    expect(run.summary).toMatch(/ignored by the comment at .*src\/total\.ts:4.*: the loop is measured/);
    const report = JSON.parse(readFileSync(inputs['report-file'], 'utf8'));
    const suppressed = report.files_review.filter(({ place }: { place: string }) => place === 'suppressed');
    expect(suppressed.map((one: { rule_id: string }) => one.rule_id)).toEqual(['no-sum', 'no-sum']);
    const { results } = JSON.parse(readFileSync(inputs['sarif-file'], 'utf8')).runs[0];
    expect(results.flatMap((one: { suppressions?: { kind: string }[] }) => one.suppressions ?? [])).toMatchObject([
      { kind: 'inSource' },
      { kind: 'inSource' },
    ]);
  });
});

it('what the rules found is posted although the model fails', async () => {
  const { github, run } = await review({
    world: leak,
    model: () => fault(401, { error: { message: 'Incorrect API key.', code: 'invalid_api_key' } }),
  });
  expect([run.outputs['outcome'], run.outputs['findings']]).toEqual(['failed', '1']);
  expect(github.comments().map(({ path, line }) => `${path}:${line}`)).toEqual(['src/client.ts:1']);
});

const worker = builtFile('dist/syntax/index.js');
const folder = dirname(worker);
const files = {
  worker,
  runtime: join(folder, 'web-tree-sitter.cjs'),
  runtimeWasm: join(folder, 'web-tree-sitter.wasm'),
  grammars: folder,
  packed: true,
};
const problems: string[] = [];
const syntax = openSyntax({ files, onProblem: (text) => problems.push(text) });
afterAll(() => syntax.close());

const texts: ReadonlyMap<string, string> = new Map([
  ['python', 'def total(): pass'],
  ['go', 'package a\nfunc total() {}'],
  ['java', 'class A { int total() {} }'],
  ['ruby', 'def total; end'],
  ['rust', 'fn total() {}'],
  ['cpp', 'int total() {}'],
  ['c-sharp', 'class A { int total() {} }'],
  ['php', '<?php function total() {}'],
]);

describe('dist/syntax', () => {
  it('parses every language', async () => {
    const parsed = grammars.map(async ({ grammar, extensions }) => {
      const text = texts.get(grammar) ?? 'function total() {}';
      const file = await syntax.parse({ path: `a.${extensions[0]}`, text }, { milliseconds: 10_000 });
      return [grammar, file?.definitions.some(({ name }) => name === 'total')];
    });
    expect(await Promise.all(parsed)).toEqual(grammars.map(({ grammar }) => [grammar, true]));
    expect(problems).toEqual([]);
  });

  it('names the licence of every grammar', () => {
    const licences = readFileSync(join(folder, 'licenses.txt'), 'utf8');
    // TSX is built from the repository of TypeScript.
    const missing = grammars.filter(({ grammar }) => grammar !== 'tsx' && !licences.includes(`tree-sitter-${grammar}`));
    expect(missing).toEqual([]);
  });
});
