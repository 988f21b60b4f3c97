import type { Lesson } from './lesson.ts';
import { type Answered, answeredBy, linkOf, parseAnswer, renderAnswer } from './standing-answer.ts';

export type Proposal = {
  /** To be added to the file, oldest first: of what does not fit a review, the newest counts. */
  readonly lines: readonly string[];
  /** Lessons that the file holds already, or that an equal one stands for. */
  readonly known: number;
  /** New ones beyond those. */
  readonly left: number;
};

/** More than a person would read. */
const linesAtMost = 50;

/** What the standing answers in `memory` lack: one line a matter, in the words of the last refusal. */
export function proposeAnswers(lessons: readonly Lesson[], memory: string): Proposal {
  const known = new Set(memory.split('\n').flatMap((line) => keyIn(line)));
  const links = linksIn(memory);
  const fresh = new Map<string, Lesson>();
  for (const lesson of lessons.toSorted((one, other) => compare(one.date, other.date))) {
    const key = keyOf(answeredBy(lesson));
    if (known.has(key) || links.has(linkOf(lesson))) continue;
    // Put anew, it stands at the place of the last refusal.
    fresh.delete(key);
    fresh.set(key, lesson);
  }
  const lines = [...fresh.values()].map(renderAnswer);
  const left = Math.max(0, lines.length - linesAtMost);
  return { lines: lines.slice(left), known: lessons.length - lines.length, left };
}

function linksIn(memory: string): ReadonlySet<string> {
  const words = memory.split(/[\s()<>[\]]+/).map((word) => word.replace(/[.,;:]+$/, ''));
  return new Set(words.filter((word) => word !== ''));
}

function keyIn(line: string): readonly string[] {
  const answered = parseAnswer(line);
  return answered === null ? [] : [keyOf(answered)];
}

/** Of one rule in one file there is one answer; without a rule the title tells the matter. */
function keyOf({ path, title, rule }: Answered): string {
  return JSON.stringify(rule === '' ? [path, 'title', title.toLowerCase()] : [path, 'rule', rule]);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
