import { describe, expect, it } from 'vitest';
import { submit } from '../fakes/model-server/script.ts';
import { review, writesBesideSummary } from './review.ts';
import { totalWorld, wrongLine, wrongLineFinding } from './total-world.ts';

const rule = (id: string, pattern: string) =>
  `---\nid: ${id}\ntitle: Found by ${id}\nseverity: warning\ncategory: bug\npattern: ${pattern}\n---\nSay of ${id} what the team agreed on.\n`;

describe('the config file', () => {
  it('of the base is obeyed, and the pull request cannot change it', async () => {
    const { github, model, run } = await review({
      world: {
        base: { ...totalWorld.base, '.postil/config.yml': 'fail-on: critical\nlanguage: Dutch\ncomments: false\n' },
        head: { ...totalWorld.head, '.postil/config.yml': 'fail-on: never\nlanguage: Klingon\ncomments: true\n' },
      },
      model: [submit([wrongLineFinding])],
    });
    expect([run.code, run.outputs['outcome'], writesBesideSummary(github)]).toEqual([1, 'findings', []]);
    const system = model.requests[0]?.messages[0]?.text;
    expect([system?.includes('Write in Dutch'), system?.includes('Klingon')]).toEqual([true, false]);
  });

  it('may not choose where the key goes or what is written: the job fails and every problem is told at once', async () => {
    const config = 'base-url: https://evil.example/v1\nreport-file: /etc/passwd\nfail-on: sometimes\nlangauge: Dutch\n';
    const { github, model, run } = await review({
      world: { ...totalWorld, base: { ...totalWorld.base, '.postil/config.yml': config } },
      model: [],
      inputs: { concurrency: 'many' },
    });
    expect([run.code, run.outputs['outcome'], model.attempts, github.writes()]).toEqual([1, 'failed', [], []]);
    for (const words of ["'base-url'", "'report-file'", "'sometimes'", "did you mean 'language'", "'concurrency'"]) {
      expect(run.log.replaceAll('"', "'")).toContain(words);
    }
    expect(run.summary).toContain('langauge');
  });

  it.each([
    ['line', 'an unknown key', 'max-coments: 3\n'],
    ['file', 'bytes that are no text', new Uint8Array(Array.from({ length: 400 }, (_, index) => index % 4))],
  ])(
    'that the pull request breaks is a finding on its %s (%s), also where the workflow leaves it out',
    async (place, _, head) => {
      const path = '.postil/config.yml';
      const { github, run } = await review({
        world: { base: { 'a.ts': '1\n', [path]: 'max-comments: 3\n' }, head: { 'a.ts': '1\n', [path]: head } },
        model: () => submit([]),
        inputs: { exclude: '.postil/**', 'fail-on': 'critical' },
      });
      const posted = github.comments().map((comment) => [comment.path, comment.line === null ? 'file' : 'line']);
      expect([run.code, run.outputs['outcome'], posted]).toEqual([1, 'findings', [[path, place]]]);
      expect(run.summary).toContain('The config file of Postil is broken');
    },
  );

  it('may lower a limit and never raise it', async () => {
    const scenario = { model: () => submit([]), inputs: { 'max-total-tokens': '30000', 'max-iterations': '3' } };
    const config = 'max-total-tokens: 900000\nmax-iterations: 2\n';
    const { run } = await review({
      ...scenario,
      world: { ...totalWorld, base: { ...totalWorld.base, '.postil/config.yml': config } },
    });
    expect([run.outputs['outcome'], run.log.includes('above the limit 30000')]).toEqual(['clean', true]);
    expect(run.log).toContain('iteration 1 of 2');
  });
});

describe('an input', () => {
  it('that is misspelt is told with the nearest name, and the review goes on', async () => {
    // The runner warns of it and hands it over all the same.
    const environment = { 'INPUT_FAIL-ONN': 'critical' };
    const { run } = await review({ world: totalWorld, model: [submit([])], environment });
    expect([run.outputs['outcome'], run.log.includes("did you mean 'fail-on'")]).toEqual(['clean', true]);
  });

  it.each([
    ['min-severity', 'critical', { ...wrongLineFinding, severity: 'warning' as const }],
    ['min-confidence', '0.9', { ...wrongLineFinding, confidence: 0.4 }],
    ['max-comments', '0', wrongLineFinding],
    ['comments', 'false', wrongLineFinding],
  ])('%s: %s keeps a finding out of the comments and in the summary', async (name, value, finding) => {
    const { github, run } = await review({
      world: totalWorld,
      model: [submit([finding])],
      inputs: { [name]: value, annotations: 'false' },
    });
    expect([github.comments(), run.annotations, run.outputs['findings']]).toEqual([[], [], '1']);
    expect(run.summary).toContain(finding.title);
  });
});

describe('rules of the repository', () => {
  const base = { ...totalWorld.base, '.postil/rules/ours.md': rule('ours', 'prices\\.length') };
  const head = { ...totalWorld.head, '.postil/rules/theirs.md': rule('theirs', 'sum') };

  it('come from the base: one that the pull request adds finds nothing', async () => {
    const inputs = { profile: 'offline' };
    const { github, run } = await review({ world: { base, head }, model: null, inputs });
    expect(github.comments().map(({ path, line }) => `${path}:${line}`)).toEqual(['src/total.ts:4']);
    expect([run.summary.includes('Found by ours'), run.summary.includes('Found by theirs')]).toEqual([true, false]);
  });

  it('guide the model, and what they found is not to be reported again', async () => {
    const { model } = await review({ world: { base, head }, model: [submit([])] });
    const prompt = model.requests[0]?.prompt ?? '';
    expect([prompt.includes('Say of ours what the team agreed on.'), prompt.includes(wrongLine.trim())]).toEqual([
      true,
      true,
    ]);
    expect(prompt).toMatch(/Already reported by pattern rules[\s\S]*src\/total\.ts:4 Found by ours/);
  });
});
