import { widthOf } from '../adapters/terminal/terminal.ts';
import type { Reporter } from '../core/events.ts';
import { inEnglish } from '../core/messages/languages.ts';
import { answerText } from '../core/report/answer.ts';
import { wrapText } from '../core/report/text.ts';
import { askAboutChange } from '../run/local.ts';
import type { LocalCommand } from '../run/local-run.ts';
import { temporaryFolder } from '../run/machine.ts';
import { tell, tellEnd } from '../run/watched.ts';
import { begin } from './run.ts';
import { harmless } from './show-report.ts';

type Question = LocalCommand & {
  readonly question: string;
  readonly flags: Readonly<Record<string, string>>;
};

/** `postil ask`: prints the answer, and nothing else on stdout. Gives the exit code: 3 where there is no answer. */
export async function answered({ question, flags, ...command }: Question): Promise<number> {
  const { inputs, run, say, terminal, code } = begin(flags);
  const folder = await temporaryFolder(undefined);
  tell({ temporary: folder.path });
  tellEnd(run.startedAt, inputs.preview.timeoutMinutes);
  // How it ended is said below.
  const report: Reporter = (event) => (event.type === 'review-end' ? terminal.stop() : terminal.report(event));
  const output = { report, destinations: [], temporaryFolder: folder.path };
  try {
    const { answer, stop, headline } = await askAboutChange(
      { environment: process.env, command, inputs, output, run },
      question,
    );
    terminal.stop();
    if (answer === undefined || answer === null) {
      say(stop.reason === 'failed' ? `${stop.message} ${stop.hint}`.trim() : inEnglish.sentences(headline));
      return code(3);
    }
    const { stdout } = process;
    const lines = wrapText(answerText(answer, harmless(inputs.redact)), widthOf(stdout));
    stdout.write(`${lines.join('\n')}\n`);
    return code(answer.isDone ? 0 : 3);
  } catch (error) {
    if (run.signal.aborted) return code(3);
    throw error;
  } finally {
    terminal.stop();
    await folder.remove();
  }
}
