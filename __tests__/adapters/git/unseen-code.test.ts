import { describe, expect, it } from 'vitest';
import type { GitRepository } from '../../../src/adapters/git/open-repository.ts';
import { inEnglish } from '../../../src/core/messages/languages.ts';
import type { Review } from '../../../src/core/review/review.ts';
import { reviewPullRequest } from '../../../src/core/review-pull-request.ts';
import { past } from '../../fakes/earlier-rounds.ts';
import { reviewParts } from '../../fakes/rich-record.ts';
import { call, ScriptedModel } from '../../fakes/scripted-model.ts';
import { type Files, lfsPointer, openChange } from './fixtures.ts';

const shell = `sh -c \${req.query.cmd}`;
const command = `execSync(\`${shell}\`)`;
const backdoor = `app.get('/x', (req) => ${command});\n`;
const rest = 'export const one = 1;\n';
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
const swapped = (bytes: Buffer) => Buffer.from(bytes).swap16();

const approval = { approved: true, rationale: 'Fine.', action: 'APPROVE' };
const approving = { toolCalls: [call('submit_review', { files_review: [], non_specific_review: null, approval })] };

type Inputs = { readonly [name: string]: string };

function opened(before: Files, after: Files): Promise<GitRepository> {
  return openChange({ 'README.md': 'Shop\n', ...before }, { 'src/other.ts': rest, ...after });
}

/** A review that may approve, by a model that approves whatever it is shown; `told` is everything that the model was told. */
async function reviewOf(git: GitRepository, inputs: Inputs = {}): Promise<{ review: Review; told: string }> {
  const model = new ScriptedModel(...Array.from({ length: 20 }, () => approving));
  const { changes, repository, search, history } = git;
  const parts = reviewParts(
    { changes, repository, search, history, model, signs: true, past: { ...past, changesBetween: async () => null } },
    { 'review-event': 'approve', verify: 'false', ...inputs },
  );
  const { review } = await reviewPullRequest(parts);
  return { review, told: JSON.stringify(model.requests) };
}

const shown = (told: string) => told.includes(shell);
const unreadPaths = ({ coverage }: Review) => coverage.unread.map(({ path }) => path);
const ruleFindings = ({ findings }: Review) => findings.map(({ path, ruleId }) => `${path} ${ruleId}`);

const workflow = `on: push\njobs:\n  x:\n    steps:\n      - run: node -e "${command}"\n`;
const long = `// ${'x'.repeat(20_000)}\n`;
const before = 'export const name = 1;\n'.repeat(20);
const renamed = { '.env.js': null, 'src/a.js': `${before}${backdoor}` };

/** What hid code from the model and is shown to it: the path, the files before, the files after. */
const tricks: readonly (readonly [string, string, Files, Files])[] = [
  ['beside a comment of 20,000 characters', 'src/a.js', {}, { 'src/a.js': `${long}${backdoor}` }],
  ['beside a long one', 'src/a.js', { 'src/a.js': rest }, { 'src/a.js': `${rest}${long}${backdoor}` }],
  ['beside a NUL byte', 'src/a.js', {}, { 'src/a.js': `// \0\n${backdoor}` }],
  ['beside a new NUL byte', 'src/a.js', { 'src/a.js': rest }, { 'src/a.js': `${rest}// \0\n${backdoor}` }],
  ['in UTF-16', 'src/a.js', {}, { 'src/a.js': utf16(backdoor) }],
  ['in UTF-16 of the other order', 'src/a.js', {}, { 'src/a.js': swapped(utf16(backdoor)) }],
  ['in UTF-16 without a mark', 'src/a.js', {}, { 'src/a.js': Buffer.from(backdoor, 'utf16le') }],
  ['in a file that becomes UTF-16', 'src/a.js', { 'src/a.js': rest }, { 'src/a.js': utf16(`${rest}${backdoor}`) }],
  ['in a folder called vendor', 'vendor/a.js', {}, { 'vendor/a.js': backdoor }],
  ['under a minified name', 'src/a.min.js', {}, { 'src/a.min.js': backdoor }],
  ['under a generated name', 'src/a.generated.js', {}, { 'src/a.generated.js': backdoor }],
  ['under the name of generated Python', 'src/a_pb2.py', {}, { 'src/a_pb2.py': backdoor }],
  ['as a snapshot', 'src/__snapshots__/a.js', {}, { 'src/__snapshots__/a.js': backdoor }],
  ['below a marker of generated code', 'src/a.js', {}, { 'src/a.js': `// @generated\n${backdoor}` }],
  ['behind column 2,000', 'src/a.js', {}, { 'src/a.js': `/*${' '.repeat(3_000)}*/${backdoor}` }],
  [
    'in the middle of a long line that was there',
    'src/a.js',
    { 'src/a.js': `${'f();'.repeat(20_000)}\n` },
    { 'src/a.js': `${'f();'.repeat(10_000)}${backdoor.trim()}${'f();'.repeat(10_000)}\n` },
  ],
  ['in what pretends to be a GIF', 'src/a.js', {}, { 'src/a.js': `GIF89a = 1;\0\n${backdoor}` }],
  ['in what has the name of a lock file', 'yarn.lock', {}, { 'yarn.lock': `require('child_process').${command};\n` }],
  ['in a lock file before', 'src/a.js', { 'yarn.lock': backdoor }, { 'yarn.lock': null, 'src/a.js': backdoor }],
  [
    'in a generated file that is moved to the others',
    'src/a.js',
    { '.gitattributes': 'gen/** linguist-generated\n', 'gen/a.js': backdoor },
    { 'gen/a.js': null, 'src/a.js': backdoor },
  ],
  ['by its own attributes', 'src/a.js', {}, { '.gitattributes': '* linguist-generated\n', 'src/a.js': backdoor }],
];

describe('a backdoor', () => {
  it.each(tricks)('%s is shown to the model, and found by the rules alone', async (_, path, old, head) => {
    const git = await opened(old, head);
    const byModel = await reviewOf(git);
    const { coverage } = byModel.review;
    expect([shown(byModel.told), coverage.unread, coverage.reviewed.includes(path)]).toEqual([true, [], true]);
    const byRules = await reviewOf(git, { profile: 'offline' });
    const found = /\.(js|py)$/.test(path) ? [`${path} shell-command-from-text`] : [];
    expect(ruleFindings(byRules.review)).toEqual(found);
  });

  it.each<[string, string, Files, Files, Record<string, string>, boolean]>([
    ['under a name that the model may not read', '.env.js', {}, { '.env.js': backdoor }, {}, true],
    ['under the name of a key', 'src/a.key', {}, { 'src/a.key': backdoor }, {}, false],
    ['in a denied path', 'ops/a.js', {}, { 'ops/a.js': backdoor }, { 'deny-paths': 'ops/**' }, true],
    ['in a file that is renamed from one', 'src/a.js', { '.env.js': renamed['src/a.js'] }, renamed, {}, false],
    ['in one that changes on the way', 'src/a.js', { '.env.js': before }, renamed, {}, true],
    ['behind 3 MB of one line', 'src/a.js', {}, { 'src/a.js': `/*${'x'.repeat(3_000_000)}*/${backdoor}` }, {}, true],
    ['behind more than is shown', 'src/a.js', {}, { 'src/a.js': `/*${'x'.repeat(30_000)}*/${backdoor}` }, {}, true],
    ['among bytes that are no text', 'src/a.js', {}, { 'src/a.js': `${'\0'.repeat(200)}${backdoor}` }, {}, false],
    ['in a program', 'tool.bin', {}, { 'tool.bin': Buffer.from([0, 1, 2, 3, 4, 5]) }, {}, false],
    ['in Git LFS', 'src/a.js', {}, { 'src/a.js': lfsPointer(12) }, {}, false],
  ])('%s is not read: that is reported, and nothing is approved', async (_, path, old, head, inputs, found) => {
    const { review, told } = await reviewOf(await opened(old, head), inputs);
    expect([shown(told), review.outcome, review.stop.reason]).toEqual([false, 'partial', 'unread']);
    expect([review.event, review.approved]).toEqual(['COMMENT', false]);
    expect([unreadPaths(review), review.coverage.unread[0]?.code]).toEqual([[path], true]);
    expect(inEnglish.sentences(review.headline)).toContain(`1 file was not reviewed: ${path} (`);
    expect(ruleFindings(review)).toEqual(found ? [`${path} shell-command-from-text`] : []);
  });

  it.each<[string, Files, Files]>([
    ['into the workflows', { 'docs/ci.yml': workflow }, { 'docs/ci.yml': null, '.github/workflows/ci.yml': workflow }],
    [
      'into the workflows, and changed a little',
      { 'docs/ci.yml': `${workflow}${'# more\n'.repeat(30)}# one\n` },
      { 'docs/ci.yml': null, '.github/workflows/ci.yml': `${workflow}${'# more\n'.repeat(30)}# two\n` },
    ],
    ['into the hooks', { 'docs/x': workflow }, { 'docs/x': null, '.husky/pre-commit': workflow }],
    ['to be a program', { 'src/x': workflow }, { 'src/x': { executable: workflow } }],
  ])('that is moved %s is shown whole', async (_, old, head) => {
    const { review, told } = await reviewOf(await opened(old, head));
    const marked = told.includes('the same text means something else');
    expect([shown(told), marked, unreadPaths(review)]).toEqual([true, true, []]);
  });
});

it('every changed file stands in exactly one list of the coverage', async () => {
  const head: Files = {
    ...Object.fromEntries(tricks.flatMap(([, , , files]) => Object.entries(files).filter(([, text]) => text !== null))),
    '.env.js': backdoor,
    'docs/left.md': 'left out\n',
    'go.sum': '',
    'logo.png': Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\0', 'latin1'),
    'src/long.js': `${'x'.repeat(30_000)}\n`,
    'tool.bin': Buffer.from([0, 1, 2, 3]),
  };
  const { review } = await reviewOf(await opened({}, head), { exclude: 'docs/', 'skip-kinds': 'lock-files' });
  const { reviewed, skipped, unread, unreviewed, earlier } = review.coverage;
  const listed = [...reviewed, ...earlier, ...[...skipped, ...unread, ...unreviewed].map(({ path }) => path)];
  expect(listed.sort()).toEqual(['src/other.ts', ...Object.keys(head)].sort());
});

describe('a change that holds what nobody reads', () => {
  const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(200)]);

  const files = { 'logo.png': png, 'package-lock.json': '{"lockfileVersion": 3}\n' };
  const unread = ' · 2 files were not reviewed: logo.png (image), package-lock.json (lock file)';

  it.each<[string, Inputs, string, string, string]>([
    ['is not approved, and no warning', {}, 'partial', 'COMMENT', unread],
    ['is approved when its kinds are left out', { 'skip-kinds': 'lock-files images' }, 'clean', 'APPROVE', ''],
  ])('%s', async (_, inputs, outcome, event, more) => {
    const { review } = await reviewOf(await opened({}, files), inputs);
    expect([review.outcome, review.event, inEnglish.sentences(review.headline)]).toEqual([
      outcome,
      event,
      `No findings · ${more === '' ? '1 file' : '1 of 3 files'} reviewed${more}.`,
    ]);
    expect(review.coverage.unread.filter(({ code }) => code)).toEqual([]);
  });

  it('knows a picture that is too large to be read', async () => {
    const { review } = await reviewOf(await opened({}, { 'logo.png': Buffer.concat([png, Buffer.alloc(2_000_000)]) }));
    expect(review.coverage.unread).toEqual([{ path: 'logo.png', reason: { code: 'file.image' }, code: false }]);
  });
});
