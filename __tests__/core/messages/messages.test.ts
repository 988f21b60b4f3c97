import { describe, expect, it } from 'vitest';
import de from '../../../src/core/messages/de.json' with { type: 'json' };
import { en } from '../../../src/core/messages/en.ts';
import es from '../../../src/core/messages/es.json' with { type: 'json' };
import fr from '../../../src/core/messages/fr.json' with { type: 'json' };
import ja from '../../../src/core/messages/ja.json' with { type: 'json' };
import { type Message, type Template, verbatim } from '../../../src/core/messages/message.ts';
import pt from '../../../src/core/messages/pt.json' with { type: 'json' };
import { createTranslator } from '../../../src/core/messages/translator.ts';
import zh from '../../../src/core/messages/zh.json' with { type: 'json' };

const formsOf = (template: Template) => (typeof template === 'string' ? [template] : Object.values(template));
const codeIn = (text: string) => (text.match(/`[^`]*`/g) ?? []).toSorted();
/** Parameters with their kinds: what stands between items may differ. */
const parametersIn = (text: string) => (text.match(/\{\w+(?::\w+)?/g) ?? []).toSorted();

describe.each(Object.entries({ de, es, fr, ja, pt, zh }))('the %s catalogue', (_, catalogue) => {
  const templates = new Map<string, Template>(Object.entries(catalogue));

  it('has every message, and no other', () => {
    expect([...templates.keys()].toSorted()).toEqual(Object.keys(en).toSorted());
  });

  it('keeps the parameters and the code of each', () => {
    const told = (text: string) => [...parametersIn(text), ...codeIn(text)].join();
    const changed = Object.entries(en).filter(([code, template]) => {
      const english = formsOf(template).map(told);
      return formsOf(templates.get(code) ?? '').some((form) => form === '' || !english.includes(told(form)));
    });
    expect(changed).toEqual([]);
  });
});

describe('a message', () => {
  const english = createTranslator({ tag: 'en', thousands: ',', templates: en });
  const german = createTranslator({ tag: 'de', thousands: '.', templates: de });
  const chinese = createTranslator({ tag: 'zh', thousands: ',', templates: zh });

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
  ])('is printed with %s', (_, message, inEnglish, inGerman) => {
    expect([english(message), german(message)]).toEqual([inEnglish, expect.stringContaining(inGerman)]);
  });

  it('joins its items as the language does', () => {
    expect(chinese({ code: 'list', of: [verbatim('a'), verbatim('b')] })).toBe('a、b');
  });

  it.each([
    ['without its parameters', { code: 'skip.author' }, 'Pull requests of  are not reviewed (`skip-authors`).'],
    ['with a code that nobody knows', { code: 'x', text: 'y' }, ''],
    ['with a name of every object', { code: 'constructor' }, ''],
    ['with another kind of parameter', { code: 'files.count', count: { code: 'file.image' } }, 'image files'],
    ['that is none', null, ''],
  ])('from a file is printed as far as it goes: %s', (_, message, text) => {
    expect(english({ code: 'list', of: JSON.parse(JSON.stringify([message])) })).toBe(text);
  });
});
