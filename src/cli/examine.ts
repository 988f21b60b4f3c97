import { paintFor } from '../adapters/terminal/terminal.ts';
import { visibleLine, wrapText } from '../core/report/text.ts';
import { type Check, checks } from '../run/checks.ts';
import { temporaryFolder } from '../run/machine.ts';
import { cancelOnSignals } from '../run/watched.ts';
import { personOf } from './person.ts';

const columnsOfState = 7;
const columnsOfName = 15;

/** `postil doctor`: prints a line for each check as it ends. Gives the exit code: 1 when one fails. */
export async function examine(directory: string): Promise<number> {
  const keyVariables = ['POSTIL_API_KEY', 'OPENAI_API_KEY'].filter((name) => (process.env[name] ?? '').trim() !== '');
  const { redact, ...person } = personOf(process.env);
  const folder = await temporaryFolder(undefined);
  let failed = 0;
  try {
    const machine = { ...person, temporaryFolder: folder.path, signal: cancelOnSignals() };
    for await (const check of checks({ ...machine, directory, keyVariables })) {
      if (check.state === 'fails') failed += 1;
      process.stdout.write(lineOf(check, redact));
    }
  } finally {
    await folder.remove();
  }
  process.stdout.write(failed === 0 ? '\nAll is well.\n' : `\n${failed} to fix.\n`);
  return failed === 0 ? 0 : 1;
}

function lineOf(check: Check, redact: (text: string) => string): string {
  const { columns = 80 } = process.stdout;
  const paint = paintFor(process.stdout);
  const colour = { ok: paint.green, note: paint.yellow, fails: paint.red }[check.state];
  const indent = ' '.repeat(columnsOfState + columnsOfName);
  const texts = check.state === 'ok' ? [check.found] : [check.found, `→ ${check.todo}`];
  const room = Math.max(columns - indent.length, 30);
  const lines = texts.flatMap((text) => wrapText(visibleLine(redact(text)), room));
  const head = `${colour(check.state.padEnd(columnsOfState))}${check.name.padEnd(columnsOfName)}`;
  return `${head}${lines.join(`\n${indent}`)}\n`;
}
