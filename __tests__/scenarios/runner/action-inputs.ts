import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { at, isObject } from '../../fakes/json.ts';

/**
 * The INPUT_ variables that the runner sets for a step: every input of action.yml, with its default where the workflow
 * says nothing. Names are upper-cased and spaces become underscores; hyphens stay.
 */
export async function inputVariables(
  inputs: Readonly<Record<string, string>>,
  context: { readonly token: string; readonly workflow: string },
): Promise<Readonly<Record<string, string>>> {
  const metadata: unknown = parse(await readFile(new URL('../../../action.yml', import.meta.url), 'utf8'));
  const declared = at(metadata, 'inputs');
  if (!isObject(declared)) throw new Error('action.yml has no inputs.');
  const unknown = Object.keys(inputs).find((name) => !(name in declared));
  if (unknown !== undefined) throw new Error(`action.yml has no input ${unknown}: the runner would only warn.`);
  const values = Object.keys(declared).map((name): [string, string] => {
    const given = inputs[name] ?? evaluate(String(at(declared, name, 'default') ?? ''), context);
    return [`INPUT_${name.replaceAll(' ', '_').toUpperCase()}`, given];
  });
  return Object.fromEntries(values);
}

function evaluate(text: string, context: { readonly token: string; readonly workflow: string }): string {
  return text.replace(/\$\{\{\s*(.*?)\s*\}\}/g, (_, expression: string) => {
    if (expression === 'github.token') return context.token;
    if (expression === 'github.workflow') return context.workflow;
    throw new Error(`The harness cannot evaluate ${expression}.`);
  });
}
