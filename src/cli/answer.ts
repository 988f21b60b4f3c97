import { widthOf } from '../adapters/terminal/terminal.ts';
import type { Reporter } from '../core/events.ts';
import { answerText } from '../core/report/answer.ts';
import { wrapText } from '../core/report/text.ts';
import { english } from '../core/words/say.ts';
import { askAboutChange, type LocalContext } from '../run/local.ts';
import { temporaryFolder } from '../run/machine.ts';
import { tell, tellEnd } from '../run/watched.ts';
import { begin } from './run.ts';
import { harmless } from './show-report.ts';

type Question = LocalContext['command'] & {
  readonly question: string;
  readonly flags: Readonly<Record<string, string>>;
};

/** `postil ask`: prints the answer, and nothing else on stdout. Gives the exit code: 3 where there is no answer. */
export async function answered({ question, flags, ...command }: Question): Promise<number> {
  const { context, say, terminal, code } = begin(flags);
  const folder = await temporaryFolder(undefined);
  tell({ temporary: folder.path });
  tellEnd(context.startedAt, context.preview.timeoutMinutes);
  // How it ended is said below.
  const report: Reporter = (event) => (event.type === 'review-end' ? terminal.stop() : terminal.report(event));
  const told = { report, destinations: [], temporaryFolder: folder.path };
  try {
    const { answer, stop, headline } = await askAboutChange({ ...context, ...told, command }, question);
    terminal.stop();
    if (answer === undefined || answer === null) {
      say(stop.reason === 'failed' ? `${stop.message} ${stop.hint}`.trim() : english.sentences(headline));
      return code(3);
    }
    const { stdout } = process;
    const lines = wrapText(answerText(answer, harmless(context.redact)), widthOf(stdout));
    stdout.write(`${lines.join('\n')}\n`);
    return code(answer.isDone ? 0 : 3);
  } catch (error) {
    if (context.signal.aborted) return code(3);
    throw error;
  } finally {
    terminal.stop();
    await folder.remove();
  }
}
