import { describe, expect, it } from 'vitest';
import { placed } from '../../../src/core/findings/finding.ts';
import { renderAnnotations, renderCheckAnnotations, renderCommands } from '../../../src/core/report/annotations.ts';
import { permalink } from '../../../src/core/report/sections/links.ts';
import { severities } from '../../../src/core/settings/setting.ts';
import { context, finding, linesAt, pullRequest, review } from '../../fakes/review-record.ts';
import { richRecord } from '../../fakes/rich-record.ts';
import { parseCommands } from '../../scenarios/runner/commands.ts';

const lines = linesAt([3, 5], 'a\nb\nc');
const removed = linesAt([3, 5], 'a\nb\nc', 'LEFT');

function inline(changes: Parameters<typeof finding>[0] = {}) {
  return placed(finding(changes), 'inline');
}

describe('check annotations', () => {
  it('say in a title and a sentence what is meant to be posted, and where the whole of it is', () => {
    const url = 'https://github.com/acme/shop/pull/7#discussion_r1';
    const posted = [{ findingId: 'f1', place: 'inline', url } as const];
    const { annotations } = renderAnnotations(richRecord().review, { ...context, posted });
    const sentence = 'For any cart `items[items.length]` is undefined, so `.price` throws.';
    const elsewhere = `${sentence}\n\nIn full in the job summary.`;
    const where = 'About removed lines, 30-32 before the change.';
    expect(annotations.map(({ title, message }) => [title, message])).toEqual([
      ['🔴 Critical · The last price is read past the end', `${sentence}\n\nIn full: ${url}`],
      ['🟠 Warning · The check for administrators is gone', `${where} ${elsewhere}`],
      ['🟠 Warning · The manual still says "first price" | see @ada, #12', elsewhere],
      ['🟠 Warning · The check for administrators is gone', elsewhere],
    ]);
    expect(annotations.map(({ path, lines: at }) => [path, at?.start ?? null, at?.end ?? null])).toEqual([
      ['src/cart.ts', 12, 12],
      ['src/old-checkout.ts', null, null],
      ['docs/prices.md', 3, 3],
      ['src/admin.ts', 8, 8],
    ]);
  });

  it('lead to the comment of an earlier review that still stands', () => {
    const standing = (url: string | null) =>
      placed(finding(), 'standing', { reason: { code: 'standing.raised' }, url, held: 'thread' });
    const placements = [standing('https://github.com/acme/shop/pull/7#r1'), standing(null)];
    const ends = renderAnnotations(review({ findings: placements })).annotations.map(({ message }) =>
      message.split('\n').at(-1),
    );
    expect(ends).toEqual([
      'Raised before, in full: https://github.com/acme/shop/pull/7#r1',
      'An earlier review raised it.',
    ]);
  });

  it('say how severe a finding is by their level', () => {
    const placements = severities.map((severity) => inline({ id: severity, severity }));
    const { annotations } = renderAnnotations(review({ findings: placements }));
    expect(annotations.map(({ findingId }) => findingId)).toEqual(severities);
    expect(annotations.map(({ level }) => level)).toEqual(['error', 'warning', 'notice', 'notice']);
  });

  it('are ten of a level as commands, and the others are reported; a check has them all', () => {
    const placements = Array.from({ length: 12 }, (_, index) => inline({ id: `f${index}` }));
    const { annotations, leftOut } = renderAnnotations(review({ findings: placements }));
    const reason = { code: 'annotation.most', max: 10, level: 'error' };
    const left = ['f10', 'f11'].map((findingId) => ({ findingId, reason }));
    const inCheck = renderCheckAnnotations(review({ findings: placements }));
    expect([annotations.length, leftOut, inCheck.length]).toEqual([10, left, 12]);
  });

  it('stand at each other place of a finding too, where every finding has its first', () => {
    const alsoAt = Array.from({ length: 6 }, (_, index) => `src/b.ts:${index + 1}-9`);
    const findings = [inline({ id: 'f1', alsoAt }), inline({ id: 'f2', alsoAt: [...alsoAt, 'and 3 more'] })];
    const { annotations, leftOut } = renderAnnotations(review({ findings }));
    const shown = annotations.map(({ findingId, path, lines: at }) => `${findingId} ${path}:${at?.start}`);
    const others = [1, 2, 3, 4, 5, 6].map((line) => `f1 src/b.ts:${line}`);
    expect([shown, leftOut]).toEqual([
      ['f1 src/cart.ts:12', 'f2 src/cart.ts:12', ...others, 'f2 src/b.ts:1', 'f2 src/b.ts:2'],
      [],
    ]);
    expect(renderCheckAnnotations(review({ findings })).length).toBe(14);
  });

  it('are short, whatever the finding is', () => {
    const long = inline({ title: 't'.repeat(500), review: 'r'.repeat(9_000) });
    const [annotation] = renderAnnotations(review({ findings: [long] })).annotations;
    const sentence = annotation?.message.split('\n')[0] ?? '';
    expect([annotation?.title.length, sentence.length, sentence.at(-1)]).toEqual([255, 500, '…']);
  });

  it('are workflow commands as the runner reads them, whatever a finding says', () => {
    const text = '100%, a: b\n::add-mask::x\r##[error]y\u001B[2J hunter2hunter2';
    const odd = finding({ id: 'f2', path: 'a\n::b', title: text, review: text, suggestion: null });
    const placements = [finding(), odd].map((one) => placed(one, 'inline'));
    const { all, annotations } = parseCommands(renderCommands(review({ findings: placements }), context.redact));
    const { title, message } = renderAnnotations(review({ findings: placements })).annotations[0] ?? {};
    const tail =
      'a ::b\n\n100%, a: b ::add-mask::x ## [error]y\\u{1B}[2J [redacted: secret]\n\nIn full in the job summary.';
    expect(all.map(({ name }) => name)).toEqual(['error', 'error']);
    expect(annotations).toMatchObject([
      { level: 'error', message, title, file: 'src/cart.ts', line: 12, endLine: 12 },
      { file: null, message: tail },
    ]);
  });

  it.each([
    ['lines at head', lines, 7, [3, 5]],
    ['removed lines, at the line that stands in their place', removed, 7, [7, 7]],
    ['removed lines of a file that is gone', removed, null, [1, 1]],
  ])('of a check are always on a line: %s', (_what, anchor, line, at) => {
    const one = inline({ anchor, ...(line === null ? {} : { lineAtHead: line }) });
    const [annotation] = renderCheckAnnotations(review({ findings: [one] }));
    expect([annotation?.startLine, annotation?.endLine]).toEqual(at);
  });
});

describe('the link to a finding', () => {
  const page = 'https://github.com/acme/shop';
  const blob = `${page}/blob/${'a'.repeat(40)}`;
  const inDiff = 'diff-3e111233cdeb1e3f31646b9088b8e9f55eba99c0cf0a167026d8503c5408c24bL3-L5';

  it.each([
    ['lines at head', { anchor: lines }, `${blob}/src/cart.ts#L3-L5`],
    ['a page', { path: 'docs/a b(1).md', anchor: lines }, `${blob}/docs/a%20b%281%29.md?plain=1#L3-L5`],
    ['removed lines', { anchor: removed }, `${page}/pull/7/files#${inDiff}`],
  ])('shows %s', (_name, changes, url) => {
    expect(permalink(finding(changes), { context, pullRequest })).toBe(url);
  });

  it('does not exist on a laptop', () => {
    expect(permalink(finding(), { context: { ...context, repository: null }, pullRequest })).toBeNull();
  });
});
