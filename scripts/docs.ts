/** Writes what is generated: action.yml and the config file's schema from the settings, the README's tables from action.yml. */
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { configFileSchema } from '../src/core/settings/config-file.ts';
import { actionInputs } from './action-inputs.ts';
import { actionOutputs } from './action-outputs.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const file = (name: string) => join(root, name);

writeFileSync(file('action.yml'), renderAction());
writeFileSync(file('config.schema.json'), `${JSON.stringify(configFileSchema(), null, 2)}\n`);
writeFileSync(file('README.md'), withTables(readFileSync(file('README.md'), 'utf8')));

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
    // The same file after the job's other steps, however this one ended: see src/post.ts.
    runs: { using: 'node24', main: 'dist/index.js', post: 'dist/post.js', 'post-if': 'always()' },
  };
  const note = '# Generated from src/core/settings/definitions.ts by `npm run docs`: edit there.\n';
  return note + stringify(action, { lineWidth: 0, defaultStringType: 'PLAIN', singleQuote: true });
}

/** Replaces what stands between `<!-- inputs -->` and `<!-- /inputs -->`, and likewise for outputs. */
function withTables(readme: string): string {
  const action: unknown = parse(readFileSync(file('action.yml'), 'utf8'));
  const inputs = entriesOf(action, 'inputs').map(([name, text]) => [`\`${name}\``, ...splitDefault(text)]);
  const outputs = entriesOf(action, 'outputs').map(([name, text]) => [`\`${name}\``, text]);
  const between = (text: string, mark: string, table: string) =>
    text.replace(
      new RegExp(`(<!-- ${mark} -->\n)[\\s\\S]*?(<!-- /${mark} -->)`),
      (_, open, close) => `${open}${table}${close}`,
    );
  const withInputs = between(readme, 'inputs', table(['input', 'default', 'meaning'], inputs));
  return between(withInputs, 'outputs', table(['output', 'meaning'], outputs));
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
