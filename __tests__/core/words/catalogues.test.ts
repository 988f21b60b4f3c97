import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { builtInRules } from '../../../src/core/rules/built-in-rules.ts';
import chinese from '../../../src/core/words/chinese.json' with { type: 'json' };
import french from '../../../src/core/words/french.json' with { type: 'json' };
import german from '../../../src/core/words/german.json' with { type: 'json' };
import japanese from '../../../src/core/words/japanese.json' with { type: 'json' };
import portuguese from '../../../src/core/words/portuguese.json' with { type: 'json' };
import { type Catalogue, english, sayFrom, sayIn } from '../../../src/core/words/say.ts';
import spanish from '../../../src/core/words/spanish.json' with { type: 'json' };
import { otherLetters, pseudoLanguage, sentences } from '../../fakes/pseudo-language.ts';

const catalogues: Readonly<Record<string, Catalogue>> = { chinese, french, german, japanese, portuguese, spanish };
const source = globSync('src/**/*.ts', { cwd: new URL('../../..', import.meta.url) })
  .map((path) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'))
  .join('\n');

const valuesIn = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();
// What a person puts into a command has a word in each language.
const codeIn = (text: string) =>
  (text.match(/`[^`]*`/g) ?? []).map((code) => code.replace(/(dismiss(?: ID)?) [^`]+/, '$1')).toSorted();

describe.each(Object.entries(catalogues))('the %s catalogue', (_, catalogue) => {
  const all = Object.entries(catalogue.sentences);

  it('has every sentence, and none that is said nowhere', () => {
    expect(all.map(([sentence]) => sentence).toSorted()).toEqual(sentences.toSorted());
    const quoted = (text: string, mark: string) => mark + text.replaceAll(mark, `\\${mark}`) + mark;
    const isSaid = (text: string) => [`'`, '"', '`'].some((mark) => source.includes(quoted(text, mark)));
    expect(sentences.filter((sentence) => !isSaid(sentence))).toEqual([]);
  });

  it('keeps the values and the code of each', () => {
    const changed = all.filter(
      ([sentence, said]) =>
        valuesIn(sentence).join() !== valuesIn(said).join() || codeIn(sentence).join() !== codeIn(said).join(),
    );
    expect(changed).toEqual([]);
  });

  it('leaves none empty, and ends each as it ends in English', () => {
    const end = (text: string) => /[.:]?(?=\s*$)/.exec(text.replaceAll('。', '.').replaceAll('：', ':'))?.[0];
    expect(all.filter(([sentence, said]) => said === '' || end(sentence) !== end(said))).toEqual([]);
  });

  it('has every built-in rule, with the code that it names', () => {
    const told = builtInRules.map(({ id, title, guidance }) => {
      const { title: itsTitle = '', review = '' } = catalogue.rules[id] ?? {};
      return [id, itsTitle !== '' && itsTitle !== title && codeIn(review).join() === codeIn(guidance).join()];
    });
    expect(told.filter(([, isSo]) => isSo !== true)).toEqual([]);
    expect(Object.keys(catalogue.rules).toSorted()).toEqual(builtInRules.map(({ id }) => id).toSorted());
  });
});

describe('a sentence that is kept in English', () => {
  const filled = (text: string, letters = (value: string) => value) =>
    text.replace(/\{(\w+)\}/g, (_, name: string) => (name === 'n' || name === 'm' ? '7' : letters('Жx1')));

  it('is known by the catalogue, whichever it is', () => {
    const say = pseudoLanguage();
    // Of these few letters are ours: they are only said, never kept.
    const tooShort = new Set([
      ...['about {what}', 'rule {id}', 'Line {line}', 'Lines {lines}', '{used} of {limit}', '{word} in `{commit}`'],
      ...['`/postil` or `@{name}`', 'More commands: `explain`, `recheck`, `fix` ({page})'],
    ]);
    const unknown = sentences.filter((one) => !tooShort.has(one) && say.of(filled(one)) !== filled(otherLetters(one)));
    expect(unknown).toEqual([]);
  });

  it.each([
    [
      'several of them',
      'Stopped at 9,000 of 10,000 tokens: the next call might not fit. Not begun: 3 files.',
      'Bei 9.000 von 10.000 Token angehalten: Der nächste Aufruf passt womöglich nicht mehr. Nicht begonnen: 3 Dateien.',
    ],
    ['one in another', 'Not reviewed: a.ts (lock file).', 'Nicht geprüft: a.ts (Lock-Datei).'],
    [
      'a list',
      'The one changed file was left out: binary; lock file.',
      'Die einzige geänderte Datei wurde ausgelassen: binär; Lock-Datei.',
    ],
    [
      'beside the words of others',
      'GitHub does not permit writing: Resource not accessible. Try later. Grant `pull-requests: write`.',
      'GitHub lässt das Schreiben nicht zu: Resource not accessible. Try later. `pull-requests: write` erteilen.',
    ],
    ['none at all', 'What a server says, with any words.', 'What a server says, with any words.'],
  ])('is said in the language: %s', (_, kept, said) => {
    expect(sayFrom(german).of(kept)).toBe(said);
  });

  it.each([
    ['far too long', 'Not reviewed: a (b). '.repeat(100)],
    ['of more than fifty sentences', 'Not begun: 1 file. '.repeat(52)],
  ])('is never looked for in a text %s, which is not ours', (_, text) => {
    expect(sayFrom(german).of(text)).toBe(text);
  });
});

describe('language', () => {
  it.each([
    ['de', ['German', 'german', 'Deutsch', 'de', 'de-DE', 'de_AT', ' DE ']],
    ['fr', ['French', 'Français', 'fr', 'fr-CA']],
    ['es', ['Spanish', 'español', 'es', 'es-MX']],
    ['pt', ['Portuguese', 'Português', 'pt-BR', 'Brazilian Portuguese', 'pt']],
    ['ja', ['Japanese', '日本語', 'ja', 'ja-JP']],
    ['zh-Hans', ['Chinese', 'Simplified Chinese', '中文', '简体中文', 'zh', 'zh-CN', 'zh-Hans']],
    ['en', ['English', 'en', 'en-GB', '']],
  ])('%s is known by many names', (tag, names) => {
    expect(names.map((name) => sayIn(name)?.tag)).toEqual(names.map(() => tag));
  });

  it('has no catalogue for others, and none for traditional characters', () => {
    expect(['Dutch', 'nl', 'zh-TW', 'zh-Hant-HK', 'Esperanto', 'Deutsch und Englisch'].map(sayIn)).toEqual(
      Array.from({ length: 6 }, () => null),
    );
  });

  it('groups digits and counts as people do', () => {
    const counted = [english, ...Object.values(catalogues).map(sayFrom)].map((say) => [
      say.tag,
      say.many(0, '{n} file', '{n} files'),
      say.many(1, '{n} file', '{n} files'),
      say.many(12_345, '{n} file', '{n} files'),
    ]);
    expect(counted).toMatchInlineSnapshot(`
      [
        [
          "en",
          "0 files",
          "1 file",
          "12,345 files",
        ],
        [
          "zh-Hans",
          "0 个文件",
          "1 个文件",
          "12,345 个文件",
        ],
        [
          "fr",
          "0 fichier",
          "1 fichier",
          "12 345 fichiers",
        ],
        [
          "de",
          "0 Dateien",
          "1 Datei",
          "12.345 Dateien",
        ],
        [
          "ja",
          "0 ファイル",
          "1 ファイル",
          "12,345 ファイル",
        ],
        [
          "pt",
          "0 arquivos",
          "1 arquivo",
          "12.345 arquivos",
        ],
        [
          "es",
          "0 archivos",
          "1 archivo",
          "12.345 archivos",
        ],
      ]
    `);
  });
});
