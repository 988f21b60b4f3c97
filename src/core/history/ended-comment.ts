import { inEnglish } from '../messages/languages.ts';
import { verbatim } from '../messages/message.ts';
import type { Translator } from '../messages/translator.ts';
import { capitalised } from '../text.ts';
import { type Life, lifeMessage } from './life.ts';
import { readWrittenMarks, withoutMarks } from './mark.ts';

/** A comment that begins with it says what became of its finding, in whatever language. */
const endedMark = '<!-- postil:ended -->';

const heading = /^<!-- postil:ended -->\n[^\n]*\n\n/;
const opening = /^<details>\n<summary>[^\n]*<\/summary>\n\n/;
const closing = '\n\n</details>';

/** A comment whose finding ended, where it can neither be resolved nor minimised: what it said is folded, and its marks stand as they stood. */
export function endedComment(
  body: string,
  { life, commit, t = inEnglish }: { life: Life; commit: string; t?: Translator },
): string {
  const word = capitalised(t(lifeMessage(life)));
  const title = t({ code: 'ended.title', word: verbatim(word), commit: commit.slice(0, 12) });
  const marks = readWrittenMarks(body).map(({ text }) => text);
  const fold = `<details>\n<summary>${t({ code: 'ended.what-it-said' })}</summary>\n\n${withoutMarks(body)}${closing}`;
  return [`${endedMark}\n${title}`, fold, ...marks].join('\n\n');
}

/** The same comment as it was before; null for one that was not ended. */
export function reopenedComment(body: string): string | null {
  const said = whatItSaid(withoutMarks(body));
  if (said === null) return null;
  return [said, ...readWrittenMarks(body).map(({ text }) => text)].join('\n\n');
}

/** True for a comment that an earlier run ended so. */
export function isMarkedEnded(body: string): boolean {
  return heading.test(body);
}

/** What an ended comment said before; null for any other. `words` are without marks. */
export function whatItSaid(words: string): string | null {
  const [title] = heading.exec(words) ?? [];
  if (title === undefined) return null;
  const folded = words.slice(title.length).trim();
  const [start] = opening.exec(folded) ?? [];
  return start !== undefined && folded.endsWith(closing) ? folded.slice(start.length, -closing.length) : null;
}
