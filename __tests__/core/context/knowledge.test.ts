import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openKnowledge } from '../../../src/core/context/knowledge.ts';
import { passagesOf } from '../../../src/core/context/passages.ts';
import { TextIndex, wordsOf } from '../../../src/core/context/text-index.ts';
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

async function ask(query: string, globs = ['docs/**', '*.md']) {
  const isDenied = (path: string) => (path === 'docs/secret.md' ? 'denied' : null);
  const knowledge = await openKnowledge(new MemoryRepository({}, { base }), { globs, isDenied });
  if (knowledge === null) return null;
  return String(await searchKnowledge(knowledge).run({ query }, new AbortController().signal));
}

describe('search_knowledge', () => {
  it('answers with the passage that is about it, numbered, with its place', async () => {
    expect(await ask('how are taxes rounded')).toMatch(
      /^\[1\] docs\/money\.md:1-7\n# Money[\s\S]*Taxes are rounded half up, per line item\.$/,
    );
  });

  it('finds identifiers by their parts and plurals by their singular', async () => {
    expect(await ask('session store')).toContain('[1] docs/login.md:1-3');
    expect(await ask('price in cent')).toContain('docs/money.md');
  });

  it('says so when nothing is relevant, rather than to guess', async () => {
    expect(await ask('kubernetes ingress')).toMatch(/^Nothing in the documents is relevant/);
  });

  it('reads no denied document, and no code', async () => {
    expect(await ask('tomorrow const')).toMatch(/^Nothing/);
  });

  it('is not offered where there are no documents', async () => {
    expect([await ask('x', []), await ask('x', ['nowhere/**'])]).toEqual([null, null]);
  });
});

describe('passages', () => {
  it('hold every line, have at most 1,000 characters, and are told by lines that exist', () => {
    const documents = fc.array(fc.oneof(fc.string({ maxLength: 120 }), fc.constant('# Heading'), fc.constant('')), {
      maxLength: 120,
    });
    fc.assert(
      fc.property(documents, (given) => {
        const lines = given.map((line) => line.replaceAll(/[\r\n]/g, ' '));
        const passages = passagesOf('a.md', lines);
        const covered = new Set(
          passages.flatMap(({ startLine, endLine }) =>
            Array.from({ length: endLine - startLine + 1 }, (_, index) => startLine + index),
          ),
        );
        expect(
          passages.every(
            ({ text, startLine, endLine }) => text.length <= 1_000 && startLine <= endLine && endLine <= lines.length,
          ),
        ).toBe(true);
        expect(lines.every((line, index) => line.trim() === '' || covered.has(index + 1))).toBe(true);
      }),
    );
  });
});

describe('the index', () => {
  const passage = (text: string) => ({ path: 'a.md', startLine: 1, endLine: 1, text });

  it('prefers rare words to frequent ones', () => {
    const index = new TextIndex([passage('cart cart cart cart'), passage('cart refund'), passage('cart order')]);
    expect(index.search('cart refund', 1)[0]?.passage.text).toBe('cart refund');
  });

  it('never throws, and gives no more than is asked for', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), fc.string({ unit: 'binary' }), (texts, query) => {
        expect(new TextIndex(texts.map(passage)).search(query, 3).length).toBeLessThanOrEqual(3);
        expect(wordsOf(query).every((word) => word.length > 1)).toBe(true);
      }),
    );
  });
});
