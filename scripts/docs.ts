/** Writes what is generated: action.yml and the config file's schema from the settings, the tables of docs/inputs.md from action.yml. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { configFileSchema } from '../src/core/settings/config-file.ts';
import { actionInputs } from './action-inputs.ts';
import { actionOutputs } from './action-outputs.ts';
import { inputGroups } from './input-groups.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const file = (name: string) => join(root, name);

writeFileSync(file('action.yml'), renderAction());
writeFileSync(file('config.schema.json'), `${JSON.stringify(configFileSchema(), null, 2)}\n`);
writeFileSync(file('docs/inputs.md'), withTables(readFileSync(file('docs/inputs.md'), 'utf8')));

function renderAction(): string {
  const outputs = Object.entries(actionOutputs).map(([name, description]) => [name, { description }]);
  const action = {
    name: 'Postil',
    description:
      'Reviews pull requests within bounds you set, comments on the right line, and says truthfully what it did.',
    author: 'Postil',
    branding: { icon: 'edit-3', color: 'blue' },
    inputs: actionInputs(),
    outputs: Object.fromEntries(outputs),
    // The same file after the job's other steps, however this one ended: see src/net.ts.
    runs: { using: 'node24', main: 'dist/index.js', post: 'dist/post.js', 'post-if': 'always()' },
  };
  const note = '# Generated from src/core/settings/definitions.ts by `npm run docs`: edit there.\n';
  return note + stringify(action, { lineWidth: 0, defaultStringType: 'PLAIN', singleQuote: true });
}

/** Replaces what stands between `<!-- inputs -->` and `<!-- /inputs -->`, and likewise for outputs. */
function withTables(page: string): string {
  const action: unknown = parse(readFileSync(file('action.yml'), 'utf8'));
  const outputs = entriesOf(action, 'outputs').map(([name, text]) => [`\`${name}\``, text]);
  const between = (text: string, mark: string, content: string) =>
    text.replace(
      new RegExp(`(<!-- ${mark} -->\n)[\\s\\S]*?(<!-- /${mark} -->)`),
      (_, open, close) => `${open}${content}${close}`,
    );
  const withInputs = between(page, 'inputs', groupedInputs(new Map(entriesOf(action, 'inputs'))));
  return between(withInputs, 'outputs', table(['output', 'meaning'], outputs));
}

function groupedInputs(inputs: ReadonlyMap<string, string>): string {
  const named = Object.values(inputGroups).flat();
  const wrong = [...inputs.keys()].filter((name) => named.filter((one) => one === name).length !== 1);
  const unknown = named.filter((name) => !inputs.has(name));
  if (wrong.length + unknown.length > 0) throw new Error(`Not in one group: ${[...wrong, ...unknown].join(', ')}`);
  const sections = Object.entries(inputGroups).map(([title, names]) => {
    const rows = names.map((name) => [`\`${name}\``, ...splitDefault(inputs.get(name) ?? '')]);
    return `### ${title}\n\n${table(['input', 'default', 'meaning'], rows)}`;
  });
  return sections.join('\n');
}

function entriesOf(action: unknown, section: 'inputs' | 'outputs'): readonly (readonly [string, string])[] {
  if (typeof action !== 'object' || action === null || !(section in action))
    throw new Error(`action.yml has no ${section}`);
  const entries: [string, unknown][] = Object.entries(Object(Reflect.get(action, section)));
  return entries.map(([name, entry]) => [name, String(Reflect.get(Object(entry), 'description'))]);
}

function splitDefault(description: string): readonly [string, string] {
  const match = /^(?<text>.*) Default: (?<initial>.*)\.$/s.exec(description);
  if (match?.groups === undefined) return ['', description];
  return [`\`${match.groups['initial']}\``, match.groups['text'] ?? ''];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |\n`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('');
}
