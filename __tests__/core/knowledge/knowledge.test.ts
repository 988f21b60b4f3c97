import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TextIndex, wordsOf } from '../../../src/core/knowledge/by-words.ts';
import { findDocuments, openKnowledge, passagesOf } from '../../../src/core/knowledge/knowledge.ts';
import { searchKnowledge } from '../../../src/core/tools/search-knowledge.ts';
import { MemoryRepository } from '../../fakes/memory-repository.ts';
import { resultOf } from '../tools/tools-over.ts';

const base = {
  'README.md': '# Shop\n\nA shop.\n',
  'docs/money.md': '# Money\n\nPrices are integers in cents.\n\n# Rounding\n\nTaxes are rounded half up, per item.\n',
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
  return resultOf(tool, { query });
}

describe('search_knowledge', () => {
  it('answers with the passage that is about it, numbered, with its place, from the base commit', async () => {
    expect(await ask('how are taxes rounded')).toMatch(
      /^\[1\] docs\/money\.md:1-7\n# Money[\s\S]*Taxes are rounded half up, per item\.$/,
    );
  });

  it('answers with the best three passages at most, each with its own place', async () => {
    const section = (name: string) => `# ${name}\n\nRefunds take a day. ${'And so on. '.repeat(50)}\n\n`;
    const files = { 'docs/long.md': ['One', 'Two', 'Three', 'Four'].map(section).join('') };
    const places = String(await ask('refunds', { files })).match(/^\[\d\] .*$/gm);
    expect(places).toEqual(['[1] docs/long.md:1-4', '[2] docs/long.md:5-8', '[3] docs/long.md:9-12']);
  });

  it.each([
    ['退款', 'docs/zh.md'],
    ['払い戻し', 'docs/ja.md'],
    ['환불', 'docs/ko.md'],
  ])('finds words of Chinese, Japanese and Korean inside of sentences: %s', async (query, path) => {
    const files = {
      'docs/zh.md': '所有退款必须在一天之内完成。',
      'docs/ja.md': '払い戻しは一日以内に行われます。セッションは一時間で終わります。',
      'docs/ko.md': '환불은 하루 안에 처리됩니다.',
    };
    expect(String(await ask(query, { files }))).toMatch(new RegExp(`^\\[1\\] ${path}:`));
  });

  it('says when nothing is relevant, and how many documents it did not search, to the model and once to people', async () => {
    const many = Array.from({ length: 2_003 }, (_, index) => [`docs/n${String(index).padStart(4, '0')}.md`, 'Cents.']);
    const odd = { 'docs/a.md': { kind: 'unreadable', reason: 'too-large', bytes: 9e7 } };
    const told: string[] = [];
    const note =
      '5 of 2004 documents were not searched: they cannot be read as text, or are beyond the first 2000 or 20 MB.';
    expect(await ask('kubernetes ingress', { files: { ...odd, ...Object.fromEntries(many) }, told })).toBe(
      `Nothing in the documents is relevant to that. Other words may be; the code decides.\n\n(${note})`,
    );
    expect(told).toEqual([`search_knowledge: ${note}`]);
  });

  it('counts documents behind the first 20 MB, too', async () => {
    const huge = { kind: 'text', text: 'Cents.', bytes: 15_000_000 };
    const files = { 'docs/a.md': huge, 'docs/b.md': huge, 'docs/c.md': 'Cents.' };
    expect(await ask('cents', { files })).toContain('(2 of 3 documents were not searched:');
  });

  it('reads no denied document, and no code', async () => {
    expect(await ask('tomorrow const')).toMatch(/^Nothing/);
  });

  it('is not offered where there are no documents', async () => {
    expect([await ask('x', { globs: [] }), await ask('x', { globs: ['nowhere/**'] })]).toEqual([null, null]);
  });
});

const word = fc.string({ unit: fc.constantFrom('a', 'b', '.', '日', '😀'), minLength: 1, maxLength: 12 });
const sentence = fc.array(word, { maxLength: 400 }).map((words) => words.join(' '));
const line = fc.oneof(fc.string({ maxLength: 120 }), sentence, fc.constant('# Heading'), fc.constant(''));
const documents = fc
  .array(line, { maxLength: 60 })
  .map((lines) => lines.map((each) => each.replaceAll(/[\r\n]/g, ' ')));

describe('passages', () => {
  it('have at most 1,000 characters, and stand in the lines that are reported', () => {
    fc.assert(
      fc.property(documents, (lines) => {
        for (const { text, startLine, endLine } of passagesOf('a.md', lines)) {
          expect(text.length).toBeLessThanOrEqual(1_000);
          expect(lines.slice(startLine - 1, endLine).join('\n')).toContain(text);
        }
      }),
    );
  });

  it('hold every word of the document, in its order', () => {
    fc.assert(
      fc.property(documents, (lines) => {
        const whole = lines.join('\n');
        let covered = 0;
        for (const { text, startLine } of passagesOf('a.md', lines)) {
          const line = lines.slice(0, startLine - 1).join('\n').length;
          const start = whole.indexOf(text, Math.max(line, covered - 200));
          expect(whole.slice(covered, start).trim()).toBe('');
          covered = Math.max(covered, start + text.length);
        }
        expect(whole.slice(covered).trim()).toBe('');
      }),
    );
  });

  it('share 100 to 200 characters with the next, also where a paragraph is one line', () => {
    const paragraph = Array.from({ length: 900 }, (_word, at) => `word${at}`).join(' ');
    const passages = passagesOf('a.md', ['# Money', '', paragraph, '', paragraph]);
    const shared = passages.slice(1).map(({ text }, at) => {
      const before = passages[at]?.text ?? '';
      return Array.from({ length: 201 }, (_count, count) => count).findLast((count) =>
        before.endsWith(text.slice(0, count)),
      );
    });
    expect(passages.length).toBeGreaterThan(12);
    expect(shared.every((count = 0) => count >= 100)).toBe(true);
  });
});

describe('the index of words', () => {
  const passage = (text: string) => ({ path: 'a.md', startLine: 1, endLine: 1, text });

  it('prefers rare words to frequent ones', () => {
    const index = new TextIndex([passage('cart cart cart cart'), passage('cart refund'), passage('cart order')]);
    expect(index.search('cart refund', 1)[0]?.passage.text).toBe('cart refund');
  });

  it('never throws, and gives no more than is asked for', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), fc.string({ unit: 'binary' }), (texts, query) => {
        expect(new TextIndex(texts.map(passage)).search(query, 3).length).toBeLessThanOrEqual(3);
      }),
    );
  });
});

describe('the words that a text is found by', () => {
  it.each([
    ['refund refunds refunded refunding', 1],
    ['retry retries retried retrying', 1],
    ['string strong spring sing speed feed need', 7],
  ])('are of %s as many as mean something different: %i', (text, count) => {
    expect(new Set(wordsOf(text)).size).toBe(count);
  });

  it('are an identifier and its parts', () => {
    expect(wordsOf('SessionStore max_total')).toEqual(['sessionstor', 'session', 'stor', 'max_total', 'max', 'total']);
  });

  it('are pairs of characters where no space stands between words', () => {
    expect(wordsOf('退款規則 v2 カード')).toEqual(['退款', '款規', '規則', 'v2', 'カー', 'ード']);
    expect(wordsOf('API呼び出し')).toEqual(['api', '呼び', 'び出', '出し']);
  });

  it('never include little ones or single letters', () => {
    expect(wordsOf('This is what was where: a b, the 日')).toEqual([]);
  });

  const units = ['a', 'E', 'ing', 'ed', 's', '_', '1', '日', 'ー', '𠮷', '한', ' '];
  const spelled = fc.string({ unit: fc.constantFrom(...units), maxLength: 400 });
  const anything = fc.oneof(fc.string({ unit: 'binary', maxLength: 400 }), spelled);

  it('never throw, have two characters at least, and together few more than the text has', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const words = wordsOf(text);
        expect(words.every((word) => word.length > 1)).toBe(true);
        expect(words.join('').length).toBeLessThanOrEqual(6 * text.length);
      }),
    );
  });

  it('take time that grows with the text alone', () => {
    for (const unit of ['a', 'aB', '_', 'a_', 'ing', '日', '日a', '1', 'ss']) {
      const text = unit.repeat(300_000);
      expect(wordsOf(text).join('').length).toBeLessThanOrEqual(6 * text.length);
    }
  });
});
