import { mkdirSync, readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { evaluate } from '../../eval/evaluate.ts';
import { createRepository } from '../fakes/git-fixture.ts';
import { call, type ModelScript, submit } from '../fakes/model-server/script.ts';
import { lacks } from '../fakes/platform.ts';
import { runCli } from '../scenarios/harness.ts';
import { laptopModel, totalWorld, wrongLine, wrongLineFinding } from '../scenarios/review.ts';
import { evaluated, folderOf, golden, replayed, reviewer, three, trees } from '../scenarios/runner/evaluating.ts';

const reasons = ({ stdout }: { stdout: string }) => stdout.match(/\S.*not measured\..*/g)?.map((line) => line.trim());

describe('postil eval', () => {
  it('reviews every case and prints what came of it', async () => {
    const { run, model } = await evaluated(folderOf(three));
    expect([run.code, model.complaints, model.requests.length]).toEqual([0, [], 3]);
    const withoutTime = run.stdout
      .replace(/^(Time per case +).*$/m, '$1…')
      .replace(/^(.*okens per case) .*$/gm, '$1 …');
    expect(withoutTime).toMatchInlineSnapshot(`
      "                              default  95 %
      Precision                        0.50  0.00 to 1.00
      Recall                           0.50  0.00 to 1.00
      F1                               0.50  0.00 to 1.00
      Clean cases that stay silent     1.00  1.00 to 1.00
      Findings per case                0.67  0.00 to 1.00
      Tokens per case …
      Billed tokens per case …
      Time per case                   …

      95 % bootstrap intervals over the cases; a finding matches a defect at most 3 lines away.

      default: 3 of 3 cases measured: 2 known defects, 1 clean case (gpt-6.1-terra, thorough).
        b-miss: 0 of 1 found, 1 finding without a defect
        a-hit: 1 of 1 found
        c-clean: clean, silent
      "
    `);
  });

  it('records a transcript of every review, and comes to the same without a request', async () => {
    const cwd = folderOf(three);
    const { run } = await evaluated(cwd, ['--record', '--format', 'json', '--judge-model', 'judge']);
    const again = await replayed(cwd, ['--format', 'json', '--judge-model', 'judge']);
    expect([run.code, again.code, again.stderr.includes('not measured')]).toEqual([0, 0, false]);
    const { used, ...same } = JSON.parse(again.stdout);
    expect([used.tokens, same]).toEqual([0, { ...JSON.parse(run.stdout), used: undefined, replayed: true }]);
    expect(JSON.parse(again.stdout).configurations[0].measures.recall.value).toBe(1);
    expect((await runCli({ args: ['replay', 'a-hit.transcript.jsonl'], cwd })).code).toBe(0);
    const changed = await replayed(cwd, ['--tolerance', '40', '--language', 'German']);
    expect(changed.stdout).toContain('b-miss: 1 of 1 found. 1 of its prompts differ from the recorded ones');
  });

  it('compares two configurations case by case, and writes a page', async () => {
    const quiet = 'min-severity: critical\n';
    const loud = 'min-severity: nitpick\n';
    const cwd = folderOf({ ...three, 'configs/quiet.yml': quiet, 'configs/loud.yml': loud });
    const small: ModelScript = ({ prompt }) =>
      submit(prompt.includes(wrongLine.trim()) ? [{ ...wrongLineFinding, severity: 'warning' }] : []);
    const files = ['--config', 'configs/quiet.yml', '--against', 'configs/loud.yml', '--report-html', 'page.html'];
    const { run } = await evaluated(cwd, ['--record', ...files], small);
    expect(run.stdout).toMatch(/^Recall +0\.00 +0\.00 to 0\.00 +0\.50 +0\.00 to 1\.00 +\+0\.50 +0\.00 to \+1\.00$/m);
    const page = readFileSync(join(cwd, 'page.html'), 'utf8');
    expect([page.includes('Evaluation of quiet and loud'), page.includes("default-src 'none'")]).toEqual([true, true]);
    const recorded = ['a-hit', 'b-miss', 'c-clean'].flatMap((name) => [`${name}.loud`, `${name}.quiet`]);
    const written = readdirSync(cwd).filter((name) => name.endsWith('.jsonl'));
    expect(written.toSorted()).toEqual(recorded.map((name) => `${name}.transcript.jsonl`));
  });

  it('reviews a folder, a patch and two revisions as it reviews texts', async () => {
    const repository = createRepository();
    repository.commit({ files: totalWorld.base });
    repository.commit({ files: totalWorld.head });
    const patch = repository.git('diff', 'HEAD~1', 'HEAD');
    const tree = (name: string, files: Readonly<Record<string, string>>) =>
      Object.fromEntries(Object.entries(files).map(([path, text]) => [`${name}/${path}`, text]));
    const files = {
      ...tree('shop/base', totalWorld.base),
      ...tree('shop/head', { ...totalWorld.base, ...totalWorld.head }),
      'one.patch': `${patch}\n`,
      'folder.yml': `repository: shop\n${golden('4')}`,
      'patch.yml': `base: shop/base\npatch: one.patch\n${golden('4')}`,
      'revisions.yml': `repository: .\nbase: HEAD~1\nhead: HEAD\n${golden('4')}`,
    };
    const cwd = join(repository.directory, 'cases');
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true });
      writeFileSync(join(cwd, path), text);
    }
    const { run } = await evaluated(cwd);
    expect(run.stdout.split('\n').filter((line) => line.startsWith('  '))).toEqual(
      expect.arrayContaining(['folder', 'patch', 'revisions'].map((name) => `  ${name}: 1 of 1 found`)),
    );
  });
});

describe('a case that cannot be measured says why and is never silent', () => {
  it('without its transcript, with one of another change, and with one that lacks answers', async () => {
    const cwd = folderOf(three);
    await evaluated(cwd, ['--record']);
    const transcript = (name: string) => join(cwd, `${name}.transcript.jsonl`);
    const [hit = '', clean = ''] = ['a-hit', 'c-clean'].map((name) => readFileSync(transcript(name), 'utf8'));
    writeFileSync(transcript('a-hit'), hit.replaceAll(/.*model\.answer.*\n/g, ''));
    writeFileSync(transcript('b-miss'), clean);
    writeFileSync(join(cwd, 'd-new.yml'), three['c-clean.yml']);
    const run = await replayed(cwd);
    expect(reasons(run)).toEqual([
      'a-hit: not measured. The transcript does not fit: it has no answer to 1 of the requests.',
      'b-miss: not measured. The transcript does not fit: it was recorded from another change.',
      'd-new: not measured. There is no transcript in .. Record it with --record, or name the folder with --transcripts.',
    ]);
    expect([run.code, run.stdout.includes('1 of 4 cases measured: 0 known defects, 1 clean case')]).toEqual([1, true]);
  });

  it.skipIf(lacks.symbolicLinks)(
    'when its paths leave its folder, through a link too, or its tree holds .git',
    async () => {
      const elsewhere = createRepository();
      elsewhere.commit({ files: totalWorld.base });
      elsewhere.commit({ files: totalWorld.head });
      const cwd = folderOf({
        'dots.yml': 'repository: ../elsewhere\nclean: true\n',
        'git.yml': 'repository: hooks\nclean: true\n',
        'hooks/base/.git/config': '[core]\n\tfsmonitor = touch ran\n',
        'hooks/head/a.ts': 'one\n',
        'link.yml': 'repository: linked\nclean: true\n',
        'linked-file.yml': 'repository: with-link\nclean: true\n',
        'out.yml': 'repository: out\nclean: true\n',
        'out/head/a.ts': 'one\n',
        'pointer.yml': 'repository: pointer\nbase: HEAD~1\nhead: HEAD\nclean: true\n',
        'pointer/.git': `gitdir: ${elsewhere.directory}/.git\n`,
        'with-link/base/a.ts': 'one\n',
        'with-link/head/b.ts': 'two\n',
      });
      mkdirSync(join(dirname(cwd), 'elsewhere'), { recursive: true });
      symlinkSync(elsewhere.directory, join(cwd, 'linked'));
      symlinkSync(elsewhere.directory, join(cwd, 'out/base'));
      symlinkSync('/etc/passwd', join(cwd, 'with-link/head/a.ts'));
      const { run, model } = await evaluated(cwd);
      expect(reasons(run)?.map((line) => line.replaceAll(cwd, '').split('. ')[1]?.split(' (')[0])).toEqual([
        '../elsewhere leaves the folder of the cases',
        "/hooks/base/.git: git's own folder cannot be read",
        'linked leaves the folder of the cases',
        '/with-link/head/a.ts is no file',
        '/out/base leaves the folder of the cases',
        '/pointer points to a repository elsewhere',
      ]);
      expect([model.attempts.length, readdirSync(cwd).includes('ran')]).toEqual([0, false]);
    },
  );

  it('when it is far too large: nothing of 100 MB is read', async () => {
    const tree = { 'tree.yml': 'repository: t\nclean: true\n', 't/base/a.ts': '', 't/head/a.ts': '' };
    const cwd = folderOf({ ...tree, 'big.yml': 'clean: true\n' });
    truncateSync(join(cwd, 't/head/a.ts'), 100_000_000);
    truncateSync(join(cwd, 'big.yml'), 100_000_000);
    const { run } = await evaluated(cwd);
    expect([run.code, run.stderr]).toEqual([
      2,
      expect.stringContaining('big.yml cannot be read. It is larger than 0.2 MB.'),
    ]);
    truncateSync(join(cwd, 'big.yml'), 0);
    writeFileSync(join(cwd, 'big.yml'), three['a-hit.yml']);
    expect(reasons((await evaluated(cwd)).run)).toEqual([
      expect.stringContaining('a.ts cannot be read. It is larger than 2 MB.'),
    ]);
  });
});

it('postil eval init proposes the commit that brought what a fix repaired, as a draft that is not run', async () => {
  const repository = createRepository();
  repository.commit({ files: totalWorld.base, message: 'Start' });
  const brought = repository.commit({ files: totalWorld.head, message: 'Sum with an index' });
  repository.commit({ files: { 'README.md': 'Other.\n' }, message: 'fix: a typo in the docs' });
  const mended = { 'src/total.ts': `// One more line above.\n${totalWorld.base['src/total.ts']}` };
  const fix = repository.commit({ files: mended, message: "fix: total is NaN: 'i' # runs\u0007 too far" });
  const [cwd, args] = [repository.directory, ['eval', 'init', '--from-fixes']];
  const run = await runCli({ args, cwd });
  const folder = join(cwd, 'eval/cases');
  const name = `fix-${fix.slice(0, 10)}`;
  expect([run.code, readdirSync(folder)]).toEqual([0, [`${name}.yml`]]);
  const written = join(folder, `${name}.yml`);
  expect(parse(readFileSync(written, 'utf8'))).toEqual({
    draft: true,
    repository: '.',
    base: repository.git('rev-parse', `${brought}^`),
    head: brought,
    goldens: [{ path: 'src/total.ts', lines: 4, description: "fix: total is NaN: 'i' # runs\u0007 too far" }],
  });
  const kept = await runCli({ args, cwd });
  expect(kept.stdout).toContain('left as it is');
  const drafts = await runCli({ args: ['eval'], cwd });
  expect([drafts.code, drafts.stderr]).toEqual([2, expect.stringContaining('all are drafts')]);
  writeFileSync(written, readFileSync(written, 'utf8').replace('draft: true\n', ''));
  expect((await runCli({ args: ['eval'], cwd })).stdout).toContain(`${name}: 0 of 1 found`);
});

describe('a limit of the whole evaluation', () => {
  const letters = ['a', 'b', 'c', 'd', 'e', 'f'];
  const six = Object.fromEntries(letters.map((name) => [`${name}.yml`, three['a-hit.yml']]));
  const pricing = ['--pricing', 'input=1,cached=0.1,output=10'];
  /** Reads on as long as it may. */
  const spender: ModelScript = ({ tools }, turn) => {
    const lines = { path: 'src/big.ts', start_line: 1 + 100 * (turn % 14), end_line: 100 + 100 * (turn % 14) };
    return tools.includes('read_file_lines') ? call('read_file_lines', lines) : submit([]);
  };
  const big = Array.from({ length: 1_500 }, (_, line) => `export const value${line} = ${line};`).join('\n');

  it('ends before a call that might not fit, names what was not finished, and says what the numbers are of', async () => {
    const { run, model } = await evaluated(folderOf(six), ['--max-total-tokens', '24000', '--jobs', '1']);
    const ran = model.requests.length;
    expect([run.code, ran]).toEqual([1, expect.toBeOneOf([2, 3, 4])]);
    const stop = /^Stopped at [\d,]+ of 24,000 tokens: the next call might not fit\. (.*)$/m.exec(run.stdout)?.[1];
    const left = letters.slice(ran).join(', ');
    expect(stop).toBe(`${6 - ran} cases not finished: ${left}. All numbers are of those that were.`);
    expect(run.stdout).toContain(`default: ${ran} of 6 cases measured: ${ran} known defects`);
  });

  it('holds for money too, over both configurations, which come equally far', async () => {
    const cwd = folderOf({ ...six, 'c/one.yml': 'walkthrough: false\n', 'c/two.yml': 'walkthrough: true\n' });
    const args = ['--config', 'c/one.yml', '--against', 'c/two.yml', '--max-cost', '0.18', ...pricing, '--jobs', '1'];
    const { run } = await evaluated(cwd, [...args, '--format', 'json', '--report-html', 'page.html']);
    const { stopped, used, limits, difference, configurations } = JSON.parse(run.stdout);
    const [one, two] = configurations.map((each: { not_run: readonly string[] }) => each.not_run.length);
    expect([run.code, stopped, limits.cost, used.cost <= 0.18]).toEqual([1, 'cost', 0.18, true]);
    expect([one > 0, difference.cases > 0, Math.abs(one - two) <= 1]).toEqual([true, true, true]);
    expect(readFileSync(join(cwd, 'page.html'), 'utf8')).toContain('not finished with both');
  });

  it('is not exceeded by a model that reads on as long as it may: its case is not finished', async () => {
    const base = { ...totalWorld.base, 'src/big.ts': big };
    const files = Object.fromEntries(letters.map((name) => [`${name}.yml`, trees('', undefined, base) + golden('4')]));
    const args = ['--max-total-tokens', '30000', '--format', 'json', '--jobs', '1'];
    const { run, model } = await evaluated(folderOf(files), args, spender);
    const { used, stopped, configurations } = JSON.parse(run.stdout);
    const [{ cases, not_run }] = configurations;
    expect([run.code, stopped, cases.length, not_run]).toEqual([1, 'tokens', 0, letters]);
    expect([used.tokens <= 30_000, model.requests.length > 1]).toEqual([true, true]);
  });

  it('is refused before anything is reviewed when nobody said what the model or the judge costs', async () => {
    const cwd = folderOf(six);
    const one = await evaluated(cwd, ['--max-cost', '1']);
    const own = ['--pricing', 'gpt-6.1-terra: input=1,output=10', '--judge-model', 'other'];
    const other = await evaluated(cwd, ['--max-cost', '1', ...own]);
    expect([one.run.code, other.run.code, one.model.attempts.length]).toEqual([2, 2, 0]);
    expect(one.run.stderr).toContain("'pricing' does not say what gpt-6.1-terra costs");
    expect(other.run.stderr).toContain('does not say what other costs');
  });
});

it('what was measured before Ctrl-C is printed and recorded', async () => {
  const cwd = folderOf({ ...three, 'd.yml': three['a-hit.yml'] });
  const stop = new AbortController();
  const { model } = await laptopModel((request) => {
    if (request.prompt.includes('Same.')) stop.abort();
    return reviewer(request);
  });
  const printed: string[] = [];
  const files = { cases: cwd, config: null, against: null, transcripts: null, reportHtml: '' };
  const how = {
    answers: 'record',
    judgeModel: '',
    tolerance: 3,
    readings: 1,
    jobs: 1,
    format: 'text',
    flags: {},
    limits: {},
  } as const;
  const command = { ...files, ...how };
  const code = await evaluate(command, {
    ...{ apiKey: model.apiKey, environment: process.env, signal: stop.signal, say: () => undefined },
    layer: { where: 'test', trusted: true, values: { 'base-url': model.url, verify: 'false', reflect: 'false' } },
    print: (text) => printed.push(text),
  });
  const recorded = readdirSync(cwd).filter((name) => name.endsWith('.jsonl'));
  expect(printed.join('').match(/^Interrupted.*/gm)).toEqual([
    'Interrupted. 2 cases not finished: c-clean, d. All numbers are of those that were.',
  ]);
  expect([code, recorded]).toEqual([1, ['a-hit.transcript.jsonl', 'b-miss.transcript.jsonl']]);
});
