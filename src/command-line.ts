#!/usr/bin/env node
import { rmSync } from 'node:fs';
import { main } from './cli.ts';
import { explain } from './core/errors.ts';
import { visibleLine } from './core/report/text.ts';
import { endSpoken, type LastWords, lastWords, tell } from './run/watched.ts';

/** What nobody caught: 1 is for what was asked, such as a gate. */
const failed = 3;

// Who reads may stop early, as `head` does, or close the terminal: that is no mistake of the run.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' && error.code !== 'EIO')
    throw new Error('What was to be printed could not be written.', { cause: error });
});
// Where nothing can be said, what is printed still counts.
process.stderr.on('error', () => undefined);

if (lastWords !== null) {
  await speak(lastWords);
  await endSpoken();
} else {
  process.on('uncaughtException', (error) => process.exit(broken(error)));
  await endSpoken(await main(process.argv.slice(2)).catch(broken));
}

/** One sentence instead of a page of the bundle. Gives the exit code. */
function broken(error: unknown): number {
  const sentence = visibleLine(explain(error));
  process.stderr.write(`${sentence}\n`);
  tell({ broke: sentence });
  return failed;
}

/** In a process of its own, for a run that did not end by itself: writes and prints what it left. */
async function speak(words: LastWords): Promise<void> {
  const { readJournal } = await import(/* webpackMode: "eager" */ './adapters/files/journal.ts');
  const { printedReview } = await import(/* webpackMode: "eager" */ './adapters/terminal/terminal.ts');
  const { formats } = await import(/* webpackMode: "eager" */ './cli/command.ts');
  const { rendererFor } = await import(/* webpackMode: "eager" */ './cli/show-report.ts');
  const { deliverRest, stopOf } = await import(/* webpackMode: "eager" */ './run/last-words.ts');
  const journal = words.journal === undefined ? null : readJournal(words.journal, '');
  await deliverRest({ ...words, journal, stop: stopOf(words) }, (context, left) => {
    const asked = left?.find(({ recorder }) => recorder === 'terminal');
    const format = formats.find((one) => one === asked?.to);
    return format === undefined ? [] : [printedReview({ render: rendererFor(format, context), format })];
  });
  if (words.temporary !== undefined) rmSync(words.temporary, { recursive: true, force: true });
}
