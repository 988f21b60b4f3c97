import type { Finding } from '../findings/finding.ts';
import { shown } from '../repository/shown.ts';
import { nearest } from '../settings/setting.ts';
import { grouped } from '../text.ts';
import type { IgnoreComment } from './ignore-comments.ts';
import { limits } from './rule.ts';

/** A finding that a comment in the code keeps from being raised. */
export type IgnoredFinding = { readonly finding: Finding; readonly reason: string };

/** The comment that keeps a rule from being raised at a line: it stood there before the change, and says why. */
export type CommentFor = (at: {
  path: string;
  ruleId: string | null;
  /** At head, the first of the place. */
  line: number;
}) => IgnoreComment | null;

export function obeyedComments(comments: readonly IgnoreComment[]): CommentFor {
  const obeyed = comments
    .slice(0, limits.ignoreComments)
    .filter(({ refused, reason }) => refused === null && reason !== '');
  // The first of several at one place.
  const byPlace = new Map(obeyed.toReversed().map((one) => [placeKey(one.path, one.ruleId, one.about), one]));
  return ({ path, ruleId, line }) => (ruleId === null ? null : (byPlace.get(placeKey(path, ruleId, line)) ?? null));
}

function placeKey(path: string, ruleId: string, line: number): string {
  return JSON.stringify([path, ruleId, line]);
}

/** Takes out the findings that a comment keeps from being raised. */
export function obeyComments(
  findings: readonly Finding[],
  commentFor: CommentFor,
): { readonly raised: readonly Finding[]; readonly ignored: readonly IgnoredFinding[] } {
  const raised: Finding[] = [];
  const ignored: IgnoredFinding[] = [];
  for (const finding of findings) {
    const { anchor, path, ruleId } = finding;
    const isNew = anchor.kind === 'lines' && anchor.side === 'RIGHT';
    const comment = isNew ? commentFor({ path, ruleId, line: anchor.startLine }) : null;
    if (comment === null) raised.push(finding);
    else ignored.push({ finding, reason: reasonOf(comment) });
  }
  return { raised, ignored };
}

/** Such as `ignored by the comment at src/a.ts:3: the input is ours`. */
export function reasonOf(comment: IgnoreComment): string {
  return `ignored by the comment at ${placeOf(comment)}: ${shownLine(comment.reason)}`;
}

/** What people should know of the comments that are not obeyed, a sentence or two each. */
export function notesOnComments(comments: readonly IgnoreComment[], ruleIds: readonly string[]): readonly string[] {
  const notes = comments.slice(0, limits.ignoreComments).flatMap((comment) => noteOn(comment, ruleIds) ?? []);
  const more = notes.length - limits.ignoreNotes;
  return [
    ...notes.slice(0, limits.ignoreNotes),
    ...(more > 0 ? [`And ${more} more comments with postil-ignore are not obeyed.`] : []),
    ...(comments.length > limits.ignoreComments ? [tooMany] : []),
  ];
}

const tooMany = `The change has more than ${grouped(limits.ignoreComments)} comments with postil-ignore: only the first ${grouped(limits.ignoreComments)} were read, and the others are not obeyed.`;

function noteOn(comment: IgnoreComment, ruleIds: readonly string[]): string | null {
  const faults = faultsOf(comment, ruleIds);
  const { refused, aboutAdded } = comment;
  if (refused === 'came' || (refused === 'moved' && aboutAdded)) {
    const what = comment.ruleId === '' ? 'something' : shownLine(comment.ruleId);
    const why = comment.reason === '' ? '' : `: ${shownLine(comment.reason)}`;
    const also = faults.map((fault) => ` It ${fault}.`).join('');
    return `Asked to be ignored: ${what} at ${placeOf(comment)}${why.replace(/\.$/, '')}. ${sentences[refused]}${also}`;
  }
  if (faults.length === 0 || !aboutAdded) return null;
  return `The comment with postil-ignore at ${placeOf(comment)} is not obeyed: it ${faults.join(', and ')}.`;
}

const sentences = {
  came: 'The comment came with this change, so it is not obeyed.',
  moved: 'Its file came from another place with this change, so it is not obeyed.',
} as const;

function faultsOf({ ruleId, reason }: IgnoreComment, ruleIds: readonly string[]): readonly string[] {
  if (ruleId === '') return ['names no rule'];
  const known = ruleIds.includes(ruleId);
  const meant = known ? null : nearest(ruleId, ruleIds);
  const unknown = `names no rule that exists${meant === null ? '' : ` (did you mean ${meant}?)`}`;
  return [...(known ? [] : [unknown]), ...(reason === '' ? ['gives no reason'] : [])];
}

function placeOf({ path, line }: IgnoreComment): string {
  return `${path}:${line}`;
}

const maxWords = 300;

/** Words of the source as people may see them. */
function shownLine(text: string): string {
  const visible = shown([text])[0]?.text ?? '';
  return visible.length > maxWords ? `${visible.slice(0, maxWords)}…` : visible;
}
