import { describe, expect, it } from 'vitest';
import { call, calls, submit } from '../fakes/model-server/script.ts';
import { review } from './review.ts';

const slow = '*a*a*a*a*a*a*a*b';

describe('a pattern made to be slow', () => {
  it.each([
    ['exclude of the config file', { '.postil/config.yml': `exclude:\n  - "${slow}"\n` }],
    ['deny-paths of the config file', { '.postil/config.yml': `deny-paths:\n  - "${slow}"\n` }],
    [
      'the paths of a rule',
      {
        '.postil/rules/a.md': `---\nid: a\ntitle: A\nseverity: info\ncategory: bug\npattern: zzz\npaths: ["${slow}"]\n---\nText\n`,
      },
    ],
  ])('in %s holds nothing up', async (_, base) => {
    const { run } = await review({
      world: { base: { 'a.ts': '1\n', ...base }, head: { 'a.ts': '2\n', ['a'.repeat(240)]: 'x\n' } },
      model: [submit([])],
    });
    expect(run.outputs['outcome']).toBe('clean');
  });

  it('in a call of the model holds nothing up', async () => {
    const { model } = await review({
      world: { base: { 'a.ts': '1\n', ['a'.repeat(240)]: 'needle\n' }, head: { 'a.ts': '2\n' } },
      model: [call('search_text', { pattern: 'needle', path: null, file_pattern: slow, regex: false }), submit([])],
    });
    expect(model.requests[1]?.lastResult('search_text')).toContain('No line matches');
  });

  it('is answered within seconds on a line of megabytes', async () => {
    const { model } = await review({
      world: {
        base: { 'a.ts': '1\n', 'data.txt': `${'abc def '.repeat(2_500_000)}needle\n` },
        head: { 'a.ts': '2\n' },
      },
      model: [
        calls(
          {
            name: 'search_text',
            arguments: { pattern: '(?i)(a|b).*(d|e).*nee', path: null, file_pattern: null, regex: true },
          },
          { name: 'search_text', arguments: { pattern: 'needle', path: null, file_pattern: null, regex: false } },
        ),
        submit([]),
      ],
    });
    expect(model.requests[1]?.lastResult('search_text')).toContain('data.txt');
  });
});

describe('a config file that is a bomb', () => {
  it.each([
    ['nested too deeply', '['.repeat(20_000)],
    ['of aliases', 'a: &a [x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b,*b,*b]\n'],
  ])('%s fails the run with a short reason', async (_, config) => {
    const { run } = await review({
      world: { base: { '.postil/config.yml': config, 'a.ts': '1\n' }, head: { 'a.ts': '2\n' } },
      model: [submit([])],
    });
    expect([run.outputs['outcome'], run.log.length < 8_000]).toEqual(['failed', true]);
    expect(run.annotations[0]?.message).toContain('.postil/config.yml');
  });
});
