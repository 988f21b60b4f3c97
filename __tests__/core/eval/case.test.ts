import { describe, expect, it } from 'vitest';
import { parseCase } from '../../../src/core/eval/case.ts';
import { parseCassette } from '../../../src/core/eval/cassette.ts';

const parse = (text: string) => parseCase({ path: 'cases/one.yml', name: 'one', text });
const trees = 'base:\n  a.ts: one\nhead:\n  a.ts: two\n';
const goldens = 'goldens:\n  - path: a.ts\n    lines: 3-5\n    description: It breaks.\n';

describe('the file of a case', () => {
  it('is two trees and what is to be found', () => {
    expect(parse(`${trees}${goldens}`)).toMatchObject({
      ok: true,
      value: {
        name: 'one',
        source: { kind: 'texts', base: { 'a.ts': 'one' }, head: { 'a.ts': 'two' } },
        goldens: [{ path: 'a.ts', start: 3, end: 5, severity: null }],
      },
    });
  });

  it.each([
    ['repository: shop\nclean: true', { kind: 'folder', folder: 'shop' }],
    ['repository: .\nbase: main\nhead: "12"\nclean: true', { kind: 'git', folder: '.', base: 'main', head: '12' }],
    ['base: tree\npatch: fix.patch\nclean: true', { kind: 'patch', base: 'tree', patch: 'fix.patch', inFile: true }],
  ])('takes its trees from elsewhere: %j', (text, source) => {
    expect(parse(text)).toMatchObject({ ok: true, value: { source } });
  });

  it.each([
    ['unknown: 1', 'the value has an unknown property "unknown".'],
    [`golden: []\n${trees}`, 'the value has an unknown property "golden"; did you mean goldens?'],
    [`${trees}`, 'goldens: say what is to be found, or clean: true.'],
    [`${trees}clean: true\n${goldens}`, 'clean: a clean change has no goldens; leave one of them out.'],
    [`${trees}${goldens.replace('3-5', '5-3')}`, 'goldens.0.lines: "5-3" is no place; write 12 or 12-15.'],
    [`${trees}${goldens.replace('a.ts', '../a.ts')}`, 'goldens.0.path: "../a.ts" is no path inside the repository.'],
    [`${trees}${goldens}    severity: high\n`, 'goldens.0.severity must be one of critical, warning, info, nitpick.'],
    ['base:\n  a.ts: [1]\nhead: {}\nclean: true', 'base.a.ts must be string.'],
    ['clean: true', /^base: it is missing; name what is reviewed/],
    ['base: {}\nhead:\n  .git/config: x\nclean: true', "head..git/config: git's own folder cannot be read."],
    ['base:\n  ../../x: y\nhead: {}\nclean: true', /^base\.\.\.\/\.\.\/x: paths stay inside the repository/],
    ['base: "a', /^line 1: Missing closing "quote/],
    [`title: ${'a'.repeat(70_000)}`, /^line 1: It has 70,007 characters/],
  ])('is refused with its name and the key: %j', (text, problem) => {
    const parsed = parse(text);
    const [first = ''] = parsed.ok ? [] : parsed.problems;
    expect(first).toMatch(/^cases\/one\.yml: /);
    const said = first.slice('cases/one.yml: '.length);
    if (typeof problem === 'string') expect(said).toBe(problem);
    else expect(said).toMatch(problem);
  });
});

describe('a cassette of a stranger', () => {
  const head = { type: 'cassette', schema_version: 1, postil: '1', case: 'one', subject: 'a..b', config: 'default' };
  const whole = { ...head, model: 'm', judge: null, ports: ['model'] };
  const answer = { message: { role: 'assistant', text: '', toolCalls: [] }, end: 'end', usage: null };
  const call = { type: 'call', call: 'model.answer', key: 'k', milliseconds: 1, result: answer };
  const end = { type: 'end', milliseconds: 5 };
  const parsed = (...lines: readonly unknown[]) => parseCassette(lines.map((line) => JSON.stringify(line)).join('\n'));

  it('is taken when every line has its form', () => {
    expect(parsed(whole, call, end)).toMatchObject({ ok: true, value: { milliseconds: 5, calls: [call] } });
  });

  it.each([
    ['another kind of file', [{ type: 'start' }, end], /^line 1 does not begin a cassette/],
    ['another version', [{ ...whole, schema_version: 2 }, end], /^line 1 .*schema_version/],
    ['no end', [whole, call], /did not come to its end/],
    ['an answer that is none', [whole, { ...call, result: null }, end], /^line 2 is no answer/],
    [
      'calls without a name',
      [whole, { ...call, result: { ...answer, message: { ...answer.message, toolCalls: [{}] } } }, end],
      /^line 2 is no answer/,
    ],
    ['a call of another port', [whole, { ...call, call: 'repository.readFile' }, end], /^line 2 is no answer/],
    [
      'vectors of a model',
      [whole, { ...call, result: { vectors: [], usage: null } }, end],
      /^line 2 holds the answer of another port/,
    ],
    ['neither answer nor error', [whole, { ...call, result: undefined }, end], /^line 2 holds no answer/],
    [
      'values nested too deeply',
      [whole, JSON.parse(`${'['.repeat(300)}${']'.repeat(300)}`), end],
      /^line 2 is no answer/,
    ],
  ])('is refused: %s', (_, lines, problem) => {
    const result = parsed(...lines);
    expect(result.ok ? '' : result.problems[0]).toMatch(problem);
  });
});
