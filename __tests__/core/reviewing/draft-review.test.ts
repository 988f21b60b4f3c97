import { describe, expect, it } from 'vitest';
import type { ReviewEvent } from '../../../src/core/events.ts';
import { groundSources } from '../../../src/core/findings/sources.ts';
import type { FileSyntax } from '../../../src/core/languages/syntax.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import { reviewPullRequest } from '../../../src/core/review-pull-request.ts';
import { hiddenInPullRequest, hiddenInRepository } from '../../../src/core/reviewing/hide.ts';
import { hideInSource } from '../../../src/core/rules/find-secrets.ts';
import { addedFile, FakeClock, MemoryRepository, MemorySearch, ruleWith } from '../../fakes/memory-repository.ts';
import { pullRequest, remark } from '../../fakes/review-record.ts';
import { reviewParts } from '../../fakes/rich-record.ts';
import { call, type ScriptedAnswer, ScriptedModel, type ScriptedStep, usage } from '../../fakes/scripted-model.ts';
import { submitted } from '../findings/make.ts';

const count = 300;
const paths = Array.from({ length: count }, (_, index) => `src/part-${index}.ts`);
const text = Array.from({ length: 40 }, (_, index) => `export const value${index} = ${index};`);

const nothingFound: ScriptedAnswer = {
  toolCalls: [call('submit_review', { files_review: [], approval: { action: 'APPROVE' } })],
};

/** A model that finds nothing, after so many milliseconds. */
function slowModel(count: number, clock: FakeClock, milliseconds: number, more: ScriptedAnswer = {}): ScriptedModel {
  const step: ScriptedStep = async (_, signal) => {
    await clock.wait(milliseconds, signal);
    return { ...nothingFound, ...more };
  };
  return new ScriptedModel(...Array.from({ length: count }, () => step));
}

/** A run over 300 files, a batch each. */
async function review({ minutes = 15, milliseconds = 0 } = {}) {
  const clock = new FakeClock();
  const events: ReviewEvent[] = [];
  const repository = new MemoryRepository(Object.fromEntries(paths.map((path) => [path, text.join('\n')])));
  const search = new MemorySearch(repository);
  const parsed = new Set<string>();
  const parse = async ({ path }: { readonly path: string }): Promise<FileSyntax> => {
    parsed.add(path);
    const reference = { name: `value of ${path}`, line: 1, call: true, member: true };
    return { language: 'x', definitions: [], references: [reference], imports: [] };
  };
  const parts = reviewParts(
    {
      changes: async () => ({ files: paths.map((path) => addedFile(path, text)), missing: [] }),
      repository,
      search,
      model: slowModel(count, clock, milliseconds, { usage: usage(8_000, 200) }),
      syntax: { languageOf: () => 'x', parse },
      report: (event) => events.push(event),
      clock,
    },
    { 'files-per-batch': '1', 'max-total-tokens': '200000', 'timeout-minutes': String(minutes) },
  );
  const { review: done } = await clock.drive(reviewPullRequest(parts));
  return { review: done, parsed, search, clock, events };
}

describe('a change that is too large for its budget', () => {
  it('costs no preparation of the files that no model will see', async () => {
    const { review: done, parsed, search } = await review();
    const { reviewed, unreviewed } = done.coverage;
    expect(reviewed.length).toBeGreaterThan(5);
    expect(reviewed.length + unreviewed.length).toBe(count);
    expect(parsed).toEqual(new Set(reviewed));
    expect(search.queries.length).toBeLessThanOrEqual(reviewed.length);
    expect(new Set(unreviewed.map(({ reason }) => reason.code))).toEqual(new Set(['label.tokens']));
    expect(done.metrics.usage.input + done.metrics.usage.output).toBeLessThanOrEqual(200_000);
  });
});

const secret = 'k3Jd8sLq0Zx7Vb2N';

it('takes what is hidden out of everything that people and CI wrote', () => {
  const said = `see ${secret}`;
  const commits = [{ sha: 'a'.repeat(40), message: said, author: 'ada', date: '2026-01-01' }];
  const issues = [{ repository: 'o/r', number: 1, title: said, body: said }];
  const checks = [{ name: said, workflow: said, run: null, state: 'failed', conclusion: said }] as const;
  const linked = { issues, otherIssues: 0, checks };
  const stack = { base: pullRequest.base, below: [{ number: 6, title: said }] };
  const texts = {
    title: said,
    body: said,
    stack,
    labels: [said],
    commits,
    linked,
    conversation: [remark({ body: said })],
  };
  const hidden = hiddenInPullRequest({ ...pullRequest, ...texts }, (text) => text.replaceAll(secret, '[hidden]'));
  expect(JSON.stringify(hidden)).not.toContain(secret);
  expect(hidden.head).toEqual(pullRequest.head);
});

describe('secrets', () => {
  const acme = ruleWith({ entropy: 3, minLength: 12, pattern: '\\b(acme-[a-z0-9]+)', paths: ['*.ts'] });
  const pem = ruleWith({ id: 'pem', entropy: 0, multiLine: true, pattern: '(?s)BEGIN\\n(.*?)\\nEND' });
  const text =
    'const a = "acme-k3jd8slq0zx7"; // acme-k3jd8slq0zx7\r\nBEGIN\nMIIEvQIBADAN\nEND\nconst b = "known-value";\n';
  const repository = hiddenInRepository(new MemoryRepository({ 'a.ts': text, 'a.md': text }), {
    hide: (one) => one.replaceAll('known-value', '[known]'),
    hideInSource: hideInSource([acme, pem, ruleWith({ pattern: 'const' })]),
  });

  async function textOf(path: string): Promise<string> {
    const content = await repository.readFile(path, 'head');
    return content.kind === 'text' ? content.text : content.kind;
  }

  it('are taken out of a file that the model reads, wherever the change is', async () => {
    // A rule about other files leaves it as it is.
    const other = text.replace('MIIEvQIBADAN', '[redacted: secret]').replace('known-value', '[known]');
    expect(await textOf('a.md')).toBe(other);
    expect(await textOf('a.ts')).toBe(other.replaceAll('acme-k3jd8slq0zx7', '[redacted: secret]'));
  });
});

function sources() {
  const at = (revision: string) => ({ kind: 'text', text: `text at ${revision}\n`, bytes: 20 }) as const;
  const link = { kind: 'symlink', target: '../elsewhere' } as const;
  const logo = { kind: 'unreadable', reason: 'binary', bytes: 10 } as const;
  const files = { 'a.ts': at('head'), link, 'logo.png': logo, '.env': at('head') };
  const repository = new MemoryRepository(files, { mergeBase: { 'a.ts': at('merge base') } });
  const isDenied = (path: string) => (path.startsWith('.env') ? 'holds secrets' : null);
  return { ...groundSources(repository, { files: [], isDenied }), opened: repository.reads };
}

describe('what quotes are looked up in', () => {
  it.each<[string, string, 'RIGHT' | 'LEFT', string | null, number]>([
    ['the file at head on the right', 'a.ts', 'RIGHT', 'text at head', 1],
    ['the file at the merge base on the left', 'a.ts', 'LEFT', 'text at merge base', 1],
    ['the target of a symbolic link', 'link', 'RIGHT', '../elsewhere', 1],
    ['nothing for a binary', 'logo.png', 'RIGHT', null, 1],
    ['nothing for a file that the model may not read, which is not even opened', '.env', 'RIGHT', null, 0],
  ])('is %s', async (_what, path, side, text, reads) => {
    const { read, opened } = sources();
    expect(await read(path, side)).toEqual(text === null ? null : [{ text, redacted: false }]);
    expect(opened).toHaveLength(reads);
  });

  it('is read again after a failure', async () => {
    const attempts = [
      Promise.reject(new Error('git is busy')),
      Promise.resolve({ kind: 'symlink', target: 'b' } as const),
    ];
    const repository = new MemoryRepository({});
    repository.readFile = () => attempts.shift() ?? Promise.reject(new Error('read once too often'));
    const { read } = groundSources(repository, { files: [], isDenied: () => null });
    await expect(read('a.ts', 'RIGHT')).rejects.toThrow('git is busy');
    const lines = [{ text: 'b', redacted: false }];
    expect([await read('a.ts', 'RIGHT'), await read('a.ts', 'RIGHT')]).toEqual([lines, lines]);
  });
});

it('a verification that breaks loses no finding: it is posted, not verified, with the reason in the notes', async () => {
  const found = submitted({ path: 'src/a.ts', quote: 'call(1);', lines: '1', title: 'It calls' });
  const approval = { approved: false, rationale: '', action: 'COMMENT' };
  const given = { files_review: [found], non_specific_review: null, approval };
  const model = new ScriptedModel({ toolCalls: [call('submit_review', given)] }, new RangeError('out of nowhere'));
  const files = [addedFile('src/a.ts', ['call(1);'])];
  const repository = new MemoryRepository({ 'src/a.ts': 'call(1);\n' });
  const parts = reviewParts({ model, repository, changes: async () => ({ files, missing: [] }) }, { verify: true });
  const { review } = await reviewPullRequest(parts);
  expect([
    review.findings.map(({ title, verification }) => [title, verification]),
    review.notes.map(inEnglish),
  ]).toEqual([
    [['It calls', undefined]],
    ['Not all findings were verified: out of nowhere. This is a defect of Postil; please report it.'],
  ]);
});
