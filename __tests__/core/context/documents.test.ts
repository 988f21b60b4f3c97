import { describe, expect, it } from 'vitest';
import { changedFile, hunkOf, MemoryRepository } from '../../fakes/memory-repository.ts';
import { chainOf, placesOf } from './searching.ts';

const readme = `# Shop

Run it with --dry-run first.
It prints what it would send.

Set SHOP_API_TOKEN before.

Call \`sendInvoice(order)\` for each order.
`;

/** What a change of `src/send.ts` shows of documents. */
async function documentsAfter(
  lines: readonly string[],
  documents: Readonly<Record<string, string>> = { 'README.md': readme },
) {
  const hunk = hunkOf(lines, { oldStart: 1, newStart: 1 });
  const head = lines.filter((line) => !line.startsWith('-')).map((line) => line.slice(1));
  const repository = new MemoryRepository({ ...documents, 'src/send.ts': `${head.join('\n')}\n` });
  const file = { ...changedFile('src/send.ts'), hunks: [hunk] };
  const places = placesOf(await chainOf(repository, { changes: [file] }));
  return places.filter((place) => place.startsWith('document'));
}

describe('a document beside a change', () => {
  it('is shown by the paragraph that names what is gone, or whose head changed', async () => {
    expect(await documentsAfter(["-if (has('--dry-run')) print();", '+print();'])).toEqual([
      'document README.md:3-4 --dry-run',
    ]);
    expect(await documentsAfter(['-const token = env.SHOP_API_TOKEN;', '+const token = read();'])).toEqual([
      'document README.md:6 SHOP_API_TOKEN',
    ]);
    expect(
      await documentsAfter([
        '-export function sendInvoice(order) {',
        '+export function sendInvoice(order, at) {',
        ' }',
      ]),
    ).toEqual(['document README.md:8 sendInvoice']);
  });

  it('is not where the option is still there, or only the body changed, or it is the history of changes', async () => {
    const kept = ["-if (has('--dry-run')) print();", "+if (has('--dry-run', '-n')) print();"];
    const body = [' export function sendInvoice(order) {', '-  one();', '+  two();', ' }'];
    const gone = ["-if (has('--dry-run')) print();", '+print();'];
    expect([
      await documentsAfter(kept),
      await documentsAfter(body),
      await documentsAfter(gone, { 'CHANGELOG.md': readme }),
    ]).toEqual([[], [], []]);
  });

  it('is shown in two places at most, of eight lines each', async () => {
    const many = { 'a.md': `${'x --dry-run\n'.repeat(30)}`, 'b.md': readme, 'c.md': readme };
    const places = await documentsAfter(["-if (has('--dry-run')) print();", '+print();'], many);
    expect(places).toEqual(['document a.md:1-8 --dry-run', 'document a.md:9-16 --dry-run']);
  });
});
