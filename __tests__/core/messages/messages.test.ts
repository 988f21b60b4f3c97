import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { details } from '../../../src/core/messages/details.ts';
import { en } from '../../../src/core/messages/en.ts';
import { catalogues, inEnglish, translatorFor } from '../../../src/core/messages/languages.ts';
import { type Message, maxLevels, type Template, verbatim } from '../../../src/core/messages/message.ts';
import { createTranslator } from '../../../src/core/messages/translator.ts';
import { builtInRules } from '../../../src/core/rules/built-in-rules.ts';

const formsOf = (template: Template) => (typeof template === 'string' ? [template] : Object.values(template));
// What a person puts into a command has a word in each language.
const codeIn = (text: string) =>
  (text.match(/`[^`]*`/g) ?? []).map((code) => code.replace(/(dismiss(?: ID)?) [^`]+/, '$1')).toSorted();
/** Parameters with their kinds: what stands between items may differ. */
const parametersIn = (text: string) => (text.match(/\{\w+(?::\w+)?/g) ?? []).toSorted();
const endOf = (text: string) => /[.:]?(?=\s*$)/.exec(text.replaceAll('。', '.').replaceAll('：', ':'))?.[0];

describe.each(catalogues.map((catalogue) => [catalogue.tag, catalogue] as const))(
  'the %s catalogue',
  (_, catalogue) => {
    const templates = new Map<string, Template>(Object.entries(catalogue.messages));

    it('has every message, and no other', () => {
      expect([...templates.keys()].toSorted()).toEqual(Object.keys(en).toSorted());
    });

    it('keeps the parameters and the code of each, leaves none empty, and ends it as it ends in English', () => {
      const kept = (text: string) => [...parametersIn(text), ...codeIn(text), endOf(text)].join();
      const changed = Object.entries(en).filter(([code, template]) => {
        const english = formsOf(template).map(kept);
        return formsOf(templates.get(code) ?? '').some((form) => form === '' || !english.includes(kept(form)));
      });
      expect(changed).toEqual([]);
    });

    it('has every built-in rule, with the code that it names', () => {
      const wrong = builtInRules.filter(({ id, title, guidance }) => {
        const own = new Map(Object.entries(catalogue.rules)).get(id);
        return own === undefined || own.title === title || codeIn(own.review).join() !== codeIn(guidance).join();
      });
      expect(wrong).toEqual([]);
      expect(Object.keys(catalogue.rules).toSorted()).toEqual(builtInRules.map(({ id }) => id).toSorted());
    });
  },
);

describe('the English tables', () => {
  it('share no code', () => {
    expect(Object.keys(details).filter((code) => code in en)).toEqual([]);
  });

  it('hold no message that no source names', () => {
    const source = globSync('src/**/*.ts', { cwd: new URL('../../..', import.meta.url) })
      .filter((path) => !/messages\/(?:en|en-surfaces|details)\.ts$/.test(path))
      .map((path) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'))
      .join('\n');
    // A code may be made of a family and a word: the compiler knows which there are.
    const families = new Set([...source.matchAll(/`([a-z-]+)\.\$\{/g)].map(([, family]) => family));
    const isNamed = (code: string) => source.includes(`'${code}'`) || families.has(code.split('.')[0]);
    expect([...Object.keys(en), ...Object.keys(details)].filter((code) => !isNamed(code))).toEqual([]);
  });
});

describe('a message', () => {
  const german = translatorFor('German') ?? inEnglish;
  const chinese = translatorFor('Chinese') ?? inEnglish;

  it.each<[string, Message, string, string]>([
    [
      'a text',
      { code: 'skip.author', author: 'ada' },
      'Pull requests of ada are not reviewed (`skip-authors`).',
      'ada',
    ],
    ['one', { code: 'files.count', count: 1 }, '1 file', '1 Datei'],
    ['more than one', { code: 'files.count', count: 1_234 }, '1,234 files', '1.234 Dateien'],
    ['another', { code: 'file.in-lfs', why: { code: 'file.image' } }, 'image in Git LFS', 'Bild in Git LFS'],
    [
      'some',
      { code: 'list', of: [{ code: 'file.image' }, { code: 'file.lock' }] },
      'image, lock file',
      'Bild, Lock-Datei',
    ],
    ['words of others', verbatim('No such {count:number}.'), 'No such {count:number}.', 'No such {count:number}.'],
  ])('is printed with %s', (_, message, english, translated) => {
    expect([inEnglish(message), german(message)]).toEqual([english, expect.stringContaining(translated)]);
  });

  it('joins its items as the language does', () => {
    expect([chinese.listed(['a', 'b']), chinese.joined(['一。', '', '二。'])]).toEqual(['a、b', '一。二。']);
  });

  it('that only logs and details print is English in every language', () => {
    expect(german({ code: 'annotation.nothing' })).toBe('There is nothing to annotate.');
  });

  it.each([
    ['without its parameters', { code: 'skip.author' }, 'Pull requests of  are not reviewed (`skip-authors`).'],
    ['with a code that nobody knows', { code: 'x', text: 'y' }, ''],
    ['with a name of every object', { code: 'constructor' }, ''],
    ['with another kind of parameter', { code: 'files.count', count: { code: 'file.image' } }, 'image files'],
    ['that is none', null, ''],
  ])('from a file is printed as far as it goes: %s', (_, message, text) => {
    expect(inEnglish({ code: 'list', of: JSON.parse(JSON.stringify([message])) })).toBe(text);
  });

  it('that holds itself a thousand times is printed to a depth, and in no time', () => {
    const deep = Array.from({ length: 1_000 }).reduce<Message>((what) => ({ code: 'sentence', what }), verbatim('x'));
    expect(inEnglish(deep)).toBe('.'.repeat(maxLevels));
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
    expect(names.map((name) => translatorFor(name)?.tag)).toEqual(names.map(() => tag));
  });

  it('has no catalogue for others, and none for traditional characters', () => {
    const others = ['Dutch', 'nl', 'zh-TW', 'zh-Hant-HK', 'Esperanto', 'Deutsch und Englisch'];
    expect(others.map(translatorFor)).toEqual(others.map(() => null));
  });

  it('groups digits and counts as people do', () => {
    const counted = [inEnglish, ...catalogues.map((one) => createTranslator(one))].map((t) =>
      [t.tag, ...[0, 1, 12_345].map((count) => t({ code: 'files.count', count }))].join(' · '),
    );
    expect(counted).toMatchInlineSnapshot(`
      [
        "en · 0 files · 1 file · 12,345 files",
        "de · 0 Dateien · 1 Datei · 12.345 Dateien",
        "fr · 0 fichier · 1 fichier · 12 345 fichiers",
        "es · 0 archivos · 1 archivo · 12.345 archivos",
        "pt · 0 arquivo · 1 arquivo · 12.345 arquivos",
        "ja · 0 ファイル · 1 ファイル · 12,345 ファイル",
        "zh-Hans · 0 个文件 · 1 个文件 · 12,345 个文件",
      ]
    `);
  });
});

it('a detail is English in every language, with its plural, its numbers and what stands in it', () => {
  const why = { code: 'verification.no-verdict', count: 1 } as const;
  const note = { code: 'note.not-all-verified', why: [why, { ...why, count: 1_200 }] } as const;
  const printed = catalogues.map(({ tag }) => translatorFor(tag)?.(note));
  expect(new Set(printed)).toEqual(
    new Set(['Not all findings were verified: no verdict on 1 finding. no verdict on 1,200 findings.']),
  );
});
