import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { folderRules } from '../../../src/adapters/files/folder.ts';
import { readHandedFile } from '../../../src/adapters/files/handed-files.ts';
import { progressFile, writeHandedFile } from '../../../src/adapters/files/recorders.ts';
import { showReport } from '../../../src/cli/show-report.ts';
import { explain } from '../../../src/core/errors.ts';
import { noKeys } from '../../../src/core/history/signed-marks.ts';
import { renderReport } from '../../../src/core/report/json.ts';
import { loadRules } from '../../../src/core/rules/load-rules.ts';
import { openReviewFile } from '../../../src/run/job/handover.ts';
import { temporaryFolder } from '../../fakes/memory-repository.ts';
import { lacks, unless } from '../../fakes/platform.ts';
import { printed } from '../../fakes/printed.ts';
import { context } from '../../fakes/review-record.ts';
import { reviewedDraft, reviewFile, reviewFileText, richRecord } from '../../fakes/rich-record.ts';

const folder = temporaryFolder();
const noOne = { keys: noKeys, secrets: { githubToken: '', apiKey: '', stateKey: '' } };

describe('the progress file', () => {
  it('holds a line of JSON for every event, without secrets, in place of an older file', () => {
    const path = join(folder, 'progress.ndjson');
    writeFileSync(path, 'of an earlier run\n');
    const warnings: string[] = [];
    const report = progressFile(path, { now: () => 0, warn: (text) => warnings.push(text), redact: context.redact });
    report({ type: 'note', text: 'one "hunter2hunter2"\ntwo' });
    report({ type: 'batch-start', batch: '1 src' });
    expect([readFileSync(path, 'utf8'), warnings]).toEqual([
      '{"time":"1970-01-01T00:00:00.000Z","type":"note","text":"one \\"[redacted: secret]\\"\\ntwo"}\n' +
        '{"time":"1970-01-01T00:00:00.000Z","type":"batch-start","batch":"1 src"}\n',
      [],
    ]);
  });

  it('warns once where it cannot be written', () => {
    const warnings: string[] = [];
    const report = progressFile(folder, { now: () => 0, warn: (text) => warnings.push(text), redact: String });
    for (const text of ['one', 'two', 'three']) report({ type: 'note', text });
    expect(warnings.map((text) => text.slice(0, 36))).toEqual(['The progress could not be written to']);
  });
});

describe('the rules of a working folder', () => {
  it('are named when they lie too deep or end in big letters', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, '.postil/rules/deep/er'), { recursive: true });
    for (const name of ['deep/er/a.md', 'B.MD', 'note.txt']) writeFileSync(join(folder, '.postil/rules', name), 'x');
    const { problems } = await loadRules(folderRules(folder));
    const named = problems.map((problem) => problem.split(' ')[2]);
    expect(named).toEqual(['.postil/rules/B.MD', '.postil/rules/deep/er/a.md']);
  });

  it.skipIf(lacks.symbolicLinks)(
    'are none where the folder is not there, or is a link, which may lead to the whole disk',
    async () => {
      const [folder, elsewhere] = [temporaryFolder(), temporaryFolder()];
      mkdirSync(join(folder, '.postil'));
      writeFileSync(join(elsewhere, 'B.MD'), 'x');
      symlinkSync(elsewhere, join(folder, '.postil/rules'));
      const found = await Promise.all([folder, elsewhere].map((each) => loadRules(folderRules(each))));
      expect(found.map(({ problems }) => problems)).toEqual([[], []]);
    },
  );
});

const good = () => JSON.stringify(renderReport(richRecord(), context));

describe('the review file', () => {
  const folder = temporaryFolder();
  const inside = (name: string) => join(folder, name);
  const render = () => reviewFileText(reviewedDraft());
  const tooLarge = () => {
    throw new Error('too large');
  };

  it('is written in a folder made for it, and read again', async () => {
    const path = inside('deep/review.json');
    const delivery = await writeHandedFile('review-file', { path, render });
    expect(delivery).toEqual({ sink: 'review-file', status: 'delivered', reason: [], delivered: [], url: path });
    expect(await openReviewFile(path, noOne)).toEqual(reviewFile());
  });

  it.each([
    ['cannot be written', 'file/review.json', render, 'is not a folder'],
    ['does not fit', 'large.json', tooLarge, 'too large'],
  ])('that %s is a failed delivery that says what follows', async (_, name, rendered, words) => {
    writeFileSync(inside('file'), '');
    const { status, url, reason } = printed(
      await writeHandedFile('review-file', { path: inside(name), render: rendered }),
    );
    expect([status, url]).toEqual(['failed', null]);
    expect(reason).toMatch(/^The review could not be written to .*, so no other job has it\. /);
    expect(reason).toContain(words);
  });

  const problemOf = (work: Promise<unknown>) => work.then(() => 'none', explain);

  describe('what is named as a review file and is none', () => {
    it.each<[string, string, string]>([
      ['is missing', 'nowhere.json', 'does not exist. Did the other job upload it, and this one download it?'],
      ['is a folder', 'folder', 'is not a file.'],
      ...unless<[string, string, string]>(lacks.symbolicLinks, [['is a link', 'link.json', 'is a symbolic link.']]),
      ...unless<[string, string, string]>(lacks.namedPipes, [
        ['is a pipe that nobody writes to', 'pipe', 'is not a file.'],
      ]),
      ['is too large', 'large', 'is larger than 5 MB.'],
      ['leads through a file', 'small/review.json', "('review-file') cannot be read. ENOTDIR"],
    ])('%s: it is reported', async (_, name, problem) => {
      mkdirSync(inside('folder'), { recursive: true });
      writeFileSync(inside('small'), '{}');
      writeFileSync(inside('large'), ' '.repeat(5_000_001));
      if (name === 'link.json') symlinkSync(inside('small'), inside(name));
      if (name === 'pipe') execFileSync('mkfifo', [inside(name)]);
      const told = await problemOf(readHandedFile(inside(name), { input: 'review-file', bytes: 5_000_000 }));
      expect(told).toContain(problem);
      expect(told).toContain("('review-file')");
    });

    it.each([
      ['has another form: the first problem', '{"schema_version":4}', "the value must have required property 'postil'"],
      ['is a report without its origin: what it lacks', good(), 'it is a report without the `origin`'],
    ])('%s is reported, and how to get the right one', async (_, text, problem) => {
      writeFileSync(inside('other.json'), text);
      const told = await problemOf(openReviewFile(inside('other.json'), noOne));
      expect(told).toContain(`'review-file') cannot be used: ${problem}`);
      expect(told).toContain('It must be what the job with `mode: review` wrote, and all jobs must use the same');
    });
  });
});

describe('a page from a report file', () => {
  const folder = temporaryFolder();
  const at = (name: string) => join(folder, name);
  const page = (path: string, transcript: string | null = null, open = false) => {
    const command = { format: null, path, reportHtml: `${path}.html`, transcript, open } as const;
    return showReport(command, () => undefined).then(String, explain);
  };

  it.each([
    ['that is no JSON', '{', 'is not JSON that can be read'],
    ['of another kind', '{"a":1}', 'is no report of Postil. Name the file that `report-file` of a run named.'],
    ['of another version', '{"schema_version":9}', 'is no report of this version of Postil: '],
    ['with a key of prototypes', () => good().replace('{', '{"__proto__":{},'), 'has an unknown property "__proto__"'],
    ['that is a transcript', '{"type":"start"}', 'is a transcript. Use postil replay FILE --report-html PATH.'],
  ])('%s is a clear error', async (_what, text, said) => {
    writeFileSync(at('evil.json'), typeof text === 'string' ? text : text());
    expect(await page(at('evil.json'))).toContain(said);
  });

  it('is made of a report that one job hands to another, too', async () => {
    writeFileSync(at('handed-over.json'), reviewFileText(reviewedDraft()));
    expect(await page(at('handed-over.json'))).toBe('0');
    expect(readFileSync(at('handed-over.json.html'), 'utf8')).toContain('The last price is read past the end');
  });

  it('names a transcript that is missing, of another kind, of another version or of another commit', async () => {
    writeFileSync(at('r.json'), good());
    const begun = { settings: { model: 'm' }, pull_request: { mergeBase: 'm', head: { sha: 'x' } } };
    const start = { type: 'start', ...begun, ports: [], notes: [] };
    for (const version of [1, 2])
      writeFileSync(at(`${version}.jsonl`), `${JSON.stringify({ ...start, schema_version: version })}\n`);
    const names = ['none.jsonl', 'r.json', '1.jsonl', '2.jsonl'];
    const told = await Promise.all(names.map((name) => page(at('r.json'), at(name))));
    const reasons = ['There is no file', 'is no transcript', 'is of version 1', 'of another commit'];
    expect(told).toEqual(reasons.map((reason) => expect.stringContaining(reason)));
  });

  it.skipIf(lacks.linux)('opens without a shell, whatever its name', async () => {
    const name = at('$(touch pwned);`id` .json');
    writeFileSync(name, good());
    const keep = `printf %s "$1" > '${at('opened.new')}' && mv '${at('opened.new')}' '${at('opened')}'`;
    writeFileSync(at('xdg-open'), `#!/bin/sh\n${keep}\n`, { mode: 0o755 });
    vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
    await page(name, null, true);
    vi.unstubAllEnvs();
    await vi.waitFor(() => expect(readFileSync(at('opened'), 'utf8')).toBe(`${name}.html`), { timeout: 20_000 });
    expect(existsSync(at('pwned'))).toBe(false);
  });
});
