import { afterAll, describe, expect, it } from 'vitest';
import { noMemory } from '../../../src/core/history/memory.ts';
import { draftReview } from '../../../src/core/reviewing/draft-review.ts';
import { addedFile, MemoryRepository, MemorySearch } from '../../fakes/memory-repository.ts';
import { reviewParts } from '../../fakes/rich-record.ts';
import { call, type ScriptedCall, ScriptedModel, type ScriptedStep } from '../../fakes/scripted-model.ts';
import { parser } from '../context/searching.ts';
import { submitted } from '../findings/make.ts';
import { historyOf } from '../tools/tools-over.ts';

const cart = ['import { tax } from "./tax.ts";', 'export const total = (cents: number) => tax(cents) + 1;'];
const other = ['export const other = 1;'];
const tree = {
  'src/cart.ts': `${cart.join('\n')}\n`,
  'src/other.ts': `${other.join('\n')}\n`,
  'src/tax.ts': 'export function tax(cents: number): number {\n  return cents * rate;\n}\n',
  'src/rate.ts': 'export const rate = 7;\n',
  'src/shop.ts': 'import { tax } from "./tax.ts";\nexport const shop = () => tax(2);\n',
  'notes.txt': 'The rate is said twice.\n',
  'docs/rates.md': '# Rates\n\nThe standard duty is seven percent.\n',
};

const nothing: ScriptedStep = {
  toolCalls: [call('submit_review', { files_review: [], approval: { action: 'APPROVE' } })],
};

/** What each batch's conversation was shown or read, beside its own files. */
async function readBy(steps: readonly ScriptedStep[], values: Readonly<Record<string, unknown>> = {}) {
  const repository = new MemoryRepository(tree);
  const parts = reviewParts(
    {
      changes: async () => ({ files: [addedFile('src/cart.ts', cart), addedFile('src/other.ts', other)], missing: [] }),
      history: historyOf({ blame: async () => [] }),
      ...{ repository, search: new MemorySearch(repository), syntax: parser, model: new ScriptedModel(...steps) },
    },
    { concurrency: '1', ...values },
  );
  const { draft } = await draftReview(parts, noMemory);
  return draft.kind === 'reviewed' ? draft.batches.map(({ report, read }) => [report.paths, read]) : [];
}

afterAll(() => parser.close());

const own = ['src/cart.ts', 'src/other.ts'];
/** The code that the prompt shows around the change. */
const chain = ['src/tax.ts'];

describe('of the files outside of its own a conversation was shown', () => {
  it.each<[string, readonly ScriptedCall[], readonly string[]]>([
    ['the definitions in its prompt', [], []],
    ['a file that it read', [call('read_file', { path: 'src/rate.ts' })], ['src/rate.ts']],
    [
      'lines that it read',
      [call('read_file_lines', { path: './notes.txt', start_line: 1, end_line: 1 })],
      ['notes.txt'],
    ],
    ['an outline', [call('get_file_structure', { path: 'src/shop.ts' })], ['src/shop.ts']],
    ['no file of a folder whose tree it read', [call('get_file_structure', { path: 'src' })], []],
    [
      'what a search found',
      [call('search_text', { pattern: 'rate', path: null, file_pattern: null, regex: null })],
      ['notes.txt', 'src/rate.ts'],
    ],
    ['where a name is defined and used', [call('find_symbol', { name: 'tax' })], ['src/shop.ts']],
    ['who wrote lines', [call('get_git_blame', { path: 'src/rate.ts', start_line: 1, end_line: 1 })], ['src/rate.ts']],
    ['the commits of a file', [call('get_git_log', { path: 'notes.txt', count: null })], ['notes.txt']],
    ['nothing for the commits of a folder', [call('get_git_log', { path: 'docs', count: null })], []],
    ['passages of documents', [call('search_knowledge', { query: 'standard duty' })], ['docs/rates.md']],
    ['nothing of a file that is not there', [call('read_file', { path: 'src/none.ts' })], []],
  ])('%s', async (_, toolCalls, more) => {
    const steps = toolCalls.length === 0 ? [nothing] : [{ toolCalls }, nothing];
    expect(await readBy(steps, { knowledge: 'docs/**' })).toEqual([[own, [...chain, ...more].toSorted()]]);
  });

  it('what any of several passes read', async () => {
    const reads = (path: string): ScriptedStep => ({ toolCalls: [call('read_file', { path })] });
    const steps = [reads('src/rate.ts'), nothing, reads('notes.txt'), nothing];
    expect(await readBy(steps, { passes: '2' })).toEqual([[own, ['notes.txt', 'src/rate.ts', ...chain]]]);
  });

  it('what the verification of its findings was shown', async () => {
    const evidence = [{ path: 'src/rate.ts', side: 'RIGHT', lines: '1', shows: 'the rate' } as const];
    const found = submitted({ path: 'src/cart.ts', quote: cart[1] ?? '', lines: '2', evidence });
    const steps: readonly ScriptedStep[] = [
      { toolCalls: [call('submit_review', { files_review: [found], approval: { action: 'COMMENT' } })] },
      { toolCalls: [call('submit_verification', { confirmed: [1], drop_suggestion: [], verdicts: [] })] },
    ];
    expect(await readBy(steps, { verify: 'true' })).toEqual([[own, ['src/rate.ts', ...chain]]]);
  });

  it('another changed file whose diff it read, where each batch has its own', async () => {
    const reads: ScriptedStep = { toolCalls: [call('read_diff', { path: 'src/other.ts' })] };
    expect(await readBy([reads, nothing, nothing], { 'files-per-batch': '1' })).toEqual([
      [['src/cart.ts'], ['src/other.ts', ...chain]],
      [['src/other.ts'], []],
    ]);
  });
});
