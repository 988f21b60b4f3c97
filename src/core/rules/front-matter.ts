import { type Fault, readYaml, type YamlText } from '../settings/yaml-text.ts';

export type FrontMatter =
  | {
      readonly ok: true;
      readonly values: { readonly [key: string]: unknown };
      readonly placeOf: YamlText['placeOf'];
      readonly body: string;
    }
  | { readonly ok: false; readonly faults: readonly Fault[] };

/** Splits a Markdown file into the YAML between its first two `---` lines and the text below. */
export function splitFrontMatter(text: string): FrontMatter {
  const parts = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  const yaml = parts?.[1];
  if (parts === null || yaml === undefined) return refused('it has no front matter between two --- lines');
  // It begins below the first `---`.
  const { values, faults, placeOf } = readYaml(yaml, 2);
  if (faults.length > 0)
    return {
      ok: false,
      faults: faults.map((fault) => ({ ...fault, text: `its front matter is not YAML: ${fault.text}` })),
    };
  if (!isMapping(values)) return refused('its front matter is not a list of `key: value`');
  return { ok: true, values, placeOf, body: text.slice(parts[0].length) };
}

function refused(text: string): FrontMatter {
  return { ok: false, faults: [{ line: 1, column: 1, text }] };
}

function isMapping(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
