import { formatLineRange } from '../findings/words.ts';
import { askedAt, verbOf } from '../history/asked.ts';
import { type AnswerMark, writeMark } from '../history/mark.ts';
import type { RunIdentity } from '../history/memory.ts';
import { noKeys } from '../history/signed-marks.ts';
import { inEnglish } from '../messages/languages.ts';
import type { Answer, SourcePlace } from '../review/review.ts';
import { untrustedBlock, untrustedLine, untrustedName } from './sanitise.ts';
import { cleanCode } from './sanitise-phrasing.ts';
import { fileAddress, rootOf } from './sections/links.ts';
import { codeSpan, fenced, linked, showInvisible } from './text.ts';
import type { RenderContext } from './wording.ts';

/** What an answer says of the check of the pull request: its address, and whether it runs again by itself. */
export type GateWord = { readonly url: string; readonly runsAgain: boolean };

type AnswerForm = {
  readonly context: RenderContext;
  readonly identity: Pick<RunIdentity, 'name' | 'run'>;
  /** Full hash of the head that it speaks for. */
  readonly head: string;
  /** Full hash of the head now, where that is another one. */
  readonly movedTo: string | null;
  /** When it is given, ISO 8601. */
  readonly at: string;
  readonly gate: GateWord | null;
};

/** Characters that people see of one answer. */
export const answerCharacters = 2_500;
/** However long its paths are; what they leave no room for is left out. */
const textAtLeast = 300;
const notFoundCharacters = 400;
const codeCharacters = 900;

/** An answer as it is posted: harmless, short, and with a mark by which every later run knows it. */
export function renderAnswer(answer: Answer, form: AnswerForm): string {
  const { context } = form;
  const head = headOf(answer, form);
  const [change, verdict, gate] = [suggestionOf(answer, form), verdictOf(answer, form), gateOf(form)];
  const [missing, places] = [notFoundOf(answer, context), placesOf(answer, form)];
  let room = answerCharacters - head.length - textAtLeast;
  const fitting = [...verdict, ...gate, ...change, ...missing, ...places].filter((part) => {
    const fits = part.length + 2 <= room;
    if (fits) room -= part.length + 2;
    return fits;
  });
  const after = [...change, ...verdict, ...missing, ...places, ...gate].filter((part) => fitting.includes(part));
  const text = untrustedBlock(answer.text, { context, max: room + textAtLeast - 4 });
  return `${[head, text, ...after].filter((part) => part !== '').join('\n\n')}\n\n${markOf(answer, form)}`;
}

/** An answer as plain text, for who asked at a terminal or through a program. */
export function answerText({ text, notFound, places }: Answer, redact: (text: string) => string): string {
  const cited = places.map(
    ({ path, startLine, endLine }) => `${path}:${formatLineRange({ start: startLine, end: endLine })}`,
  );
  const parts = [
    text.trim(),
    notFound === null ? '' : `Not found: ${notFound}`,
    cited.length === 0 ? '' : `Sources: ${cited.join(', ')}`,
  ];
  return showInvisible(redact(parts.filter((part) => part !== '').join('\n\n')));
}

function headOf({ asked }: Answer, { context, head, movedTo }: AnswerForm): string {
  const { by, comment } = asked;
  const verb = verbOf(asked);
  const { t = inEnglish } = context;
  const what =
    verb === null
      ? t({ code: 'reference.comment' })
      : verb === 'reply'
        ? t({ code: 'reference.reply' })
        : `\`/postil ${verb}\``;
  const values = {
    comment: linked(what, comment?.url ?? null),
    person: untrustedName(by, context),
    commit: shortCommit(head, context),
  };
  const said =
    movedTo === null
      ? t({ code: 'answer.title', ...values })
      : t({ code: 'answer.title-moved', ...values, now: shortCommit(movedTo, context) });
  return `<sub>${said}</sub>`;
}

function shortCommit(sha: string, context: RenderContext): string {
  const root = rootOf(context);
  return linked(codeSpan(sha.slice(0, 7)), root === null ? null : `${root}/commit/${sha}`);
}

/** Only where a click puts it on exactly these lines it is a suggestion of GitHub's. */
function suggestionOf({ suggestion }: Answer, { context, movedTo }: AnswerForm): readonly string[] {
  if (suggestion === null) return [];
  const { t = inEnglish } = context;
  const { code, applies } = suggestion;
  const clean = cleanCode(code, context.redact);
  if (clean.length > codeCharacters) return [t({ code: 'answer.change-too-long' })];
  if (applies && movedTo === null && clean === code) return [fenced(code, 'suggestion')];
  return [
    code === '' ? t({ code: 'answer.remove-lines' }) : `${t({ code: 'answer.in-place-of' })}\n\n${fenced(clean, '')}`,
  ];
}

function notFoundOf({ notFound }: Answer, context: RenderContext): readonly string[] {
  // On one line: behind these words a fence would be none, and what it held would be Markdown.
  const { t = inEnglish } = context;
  const words = untrustedLine(notFound ?? '', context, notFoundCharacters);
  return notFound === null ? [] : [`**${t({ code: 'answer.not-found' })}** ${words}`];
}

/** Each on a line of its own: GitHub shows the code of a link that stands alone. */
function placesOf({ places }: Answer, form: AnswerForm): readonly string[] {
  const addresses = places.flatMap((place) => addressOf(place, form) ?? []);
  return [...new Set(addresses)];
}

function addressOf(place: SourcePlace, { context, head }: AnswerForm): string | null {
  const root = rootOf(context);
  return root === null ? null : fileAddress(root, { sha: head, path: context.redact(place.path), lines: place });
}

function verdictOf({ verdict, proof }: Answer, form: AnswerForm): readonly string[] {
  if (verdict === undefined || proof === undefined) return [];
  const at = linked(untrustedName(`${proof.path}:${proof.startLine}`, form.context), addressOf(proof, form));
  const { t = inEnglish } = form.context;
  return [t({ code: `verdict.${verdict}`, place: at })];
}

function gateOf({ gate, context: { t = inEnglish } }: AnswerForm): readonly string[] {
  if (gate === null) return [];
  const { url } = gate;
  if (gate.runsAgain) return [t({ code: 'answer.check-again', url })];
  return [t({ code: 'answer.check-behind', url })];
}

function markOf({ asked, about, verdict, proof, around }: Answer, { identity, head, at, context }: AnswerForm): string {
  const { keys = noKeys } = context;
  const mark: AnswerMark = {
    kind: 'answer',
    name: identity.name,
    run: identity.run,
    commit: head,
    at,
    to: askedAt(asked, identity),
    verb: verbOf(asked) ?? 'unknown',
    ...(about === null ? {} : { about }),
    ...(verdict === undefined ? {} : { verdict }),
    ...(proof === undefined ? {} : { proof }),
    ...(around === undefined ? {} : { around }),
  };
  return writeMark(mark, (content) => keys.sign(content, { in: 'answer', thread: asked.comment?.thread ?? null }));
}
