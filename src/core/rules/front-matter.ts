import { parse } from 'yaml';

export type FrontMatter =
  | { readonly ok: true; readonly values: { readonly [key: string]: unknown }; readonly body: string }
  | { readonly ok: false; readonly problem: string };

/** Splits a Markdown file into the YAML between its first two `---` lines and the text below. */
export function splitFrontMatter(text: string): FrontMatter {
  const parts = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text);
  const yaml = parts?.[1];
  if (parts === null || yaml === undefined)
    return { ok: false, problem: 'it has no front matter between two --- lines' };
  const values = parsedYaml(yaml);
  if (values instanceof Error)
    return { ok: false, problem: `its front matter is not YAML: ${firstLine(values.message)}` };
  if (!isMapping(values)) return { ok: false, problem: 'its front matter is not a list of `key: value`' };
  return { ok: true, values, body: text.slice(parts[0].length) };
}

function parsedYaml(yaml: string): unknown {
  try {
    return parse(yaml);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function isMapping(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.replace(/:$/, '') ?? '';
}
