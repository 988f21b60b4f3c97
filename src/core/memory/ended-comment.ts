import { readWrittenMarks, withoutMarks } from './mark.ts';

/** The words under which a comment says what became of its finding: those of `lifeWord`, and of older versions. */
const heading = /^\*\*(?:Fixed|Gone with its file|Outdated:)\*\*[^\n]*\n\n/;
const [opening, closing] = ['<details>\n<summary>What it said</summary>\n\n', '\n\n</details>'];

/** A comment whose finding ended, where it can neither be resolved nor minimised: what it said is folded, and its marks stand as they stood. */
export function endedComment(body: string, { word, commit }: { word: string; commit: string }): string {
  const title = `**${word.charAt(0).toUpperCase()}${word.slice(1)}** in ${commit.slice(0, 12)}.`;
  const marks = readWrittenMarks(body).map(({ text }) => text);
  return [title, `${opening}${withoutMarks(body)}${closing}`, ...marks].join('\n\n');
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
  const isFolded = folded.startsWith(opening) && folded.endsWith(closing);
  return isFolded ? folded.slice(opening.length, -closing.length) : null;
}
