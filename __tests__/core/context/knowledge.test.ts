import { describe, expect, it } from 'vitest';
import { findDocuments, openKnowledge } from '../../../src/core/context/knowledge.ts';
import { searchKnowledge } from '../../../src/core/tools/search-knowledge.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';

const base = {
  'README.md': '# Shop\n\nA shop.\n',
  'docs/money.md':
    '# Money\n\nAll prices are integers in cents.\n\n# Rounding\n\nTaxes are rounded half up, per line item.\n',
  'docs/login.md': '# Login\n\nSessions end after an hour. SessionStore keeps them.\n',
  'docs/secret.md': 'The prices of tomorrow.\n',
  'src/a.ts': 'const prices = 1;\n',
};
const head = { 'docs/money.md': 'Taxes are rounded as you like.\n' };

async function ask(
  query: string,
  { globs = ['docs/**', '*.md'], files = base, told = [] }: { globs?: string[]; files?: object; told?: string[] } = {},
) {
  const isDenied = (path: string) => (path === 'docs/secret.md' ? 'denied' : null);
  const repository = new MemoryRepository(head, { base: { ...files } });
  const documents = await findDocuments(repository, { globs, isDenied });
  if (documents === null) return null;
  const tool = searchKnowledge(openKnowledge(documents, { meaning: null, tell: (note) => told.push(note) }));
  return tool.run({ query }, new AbortController().signal);
}

describe('search_knowledge', () => {
  it('answers with the passage that is about it, numbered, with its place, from the base commit', async () => {
    expect(await ask('how are taxes rounded')).toMatch(
      /^\[1\] docs\/money\.md:1-7\n# Money[\s\S]*Taxes are rounded half up, per line item\.$/,
    );
  });

  it('answers with the best three passages at most, each with its own place', async () => {
    const section = (name: string) => `# ${name}\n\nRefunds take a day. ${'And so on. '.repeat(50)}\n\n`;
    const files = { 'docs/long.md': ['One', 'Two', 'Three', 'Four'].map(section).join('') };
    const places = String(await ask('refunds', { files })).match(/^\[\d\] .*$/gm);
    expect(places).toEqual(['[1] docs/long.md:1-4', '[2] docs/long.md:5-8', '[3] docs/long.md:9-12']);
  });

  it('finds identifiers by their parts and plurals by their singular', async () => {
    expect(await ask('session store')).toContain('[1] docs/login.md:1-3');
    expect(await ask('price in cent')).toContain('docs/money.md');
  });

  it('finds words of Chinese, Japanese and Korean inside of sentences', async () => {
    const files = {
      'docs/zh.md': '所有退款必须在一天之内完成。',
      'docs/ja.md': '払い戻しは一日以内に行われます。セッションは一時間で終わります。',
      'docs/ko.md': '환불은 하루 안에 처리됩니다.',
      'docs/en.md': 'Sessions end after an hour.',
    };
    const places = [];
    for (const query of ['退款', '払い戻し', '환불', 'セッション'])
      places.push(String(await ask(query, { files })).match(/^\[1\] (\S+):/)?.[1]);
    expect(places).toEqual(['docs/zh.md', 'docs/ja.md', 'docs/ko.md', 'docs/ja.md']);
  });

  it('says so when nothing is relevant, rather than to guess', async () => {
    expect(await ask('kubernetes ingress')).toBe(
      'Nothing in the documents is relevant to that. Other words may be; the code decides.',
    );
  });

  it('says how many documents it did not search, to the model and once to people', async () => {
    const many = Array.from({ length: 2_003 }, (_, index) => [`docs/n${String(index).padStart(4, '0')}.md`, 'Cents.']);
    const odd = { 'docs/a.md': { kind: 'unreadable', reason: 'too-large', bytes: 9e7 } };
    const told: string[] = [];
    const note =
      'Of 2004 documents 5 were not searched: they cannot be read as text, or are beyond the first 2000 or 20 MB.';
    expect(await ask('kubernetes ingress', { files: { ...odd, ...Object.fromEntries(many) }, told })).toBe(
      `Nothing in the documents is relevant to that. Other words may be; the code decides.\n\n(${note})`,
    );
    expect(told).toEqual([`search_knowledge: ${note}`]);
  });

  it('counts documents behind the first 20 MB, too', async () => {
    const huge = { kind: 'text', text: 'Cents.', bytes: 15_000_000 };
    const files = { 'docs/a.md': huge, 'docs/b.md': huge, 'docs/c.md': 'Cents.' };
    expect(await ask('cents', { files })).toContain('(Of 3 documents 2 were not searched:');
  });

  it('reads no denied document, and no code', async () => {
    expect(await ask('tomorrow const')).toMatch(/^Nothing/);
  });

  it('shows what hides in a path', async () => {
    expect(await ask('cents', { files: { 'docs/mo\u202eney.md': 'Cents.\n' } })).toMatch(
      /^\[1\] docs\/mo\\u\{202E\}ney\.md:1-1\n/,
    );
  });

  it('is not offered where there are no documents', async () => {
    expect([await ask('x', { globs: [] }), await ask('x', { globs: ['nowhere/**'] })]).toEqual([null, null]);
  });
});
