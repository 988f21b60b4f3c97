import { type Category, severities } from '../settings/setting.ts';
import { type Anchor, type Finding, type LinesAnchor, limits } from './finding.ts';

/** What two findings have in common, as far as either tells of it. Whether that makes them one is another question for each use: see `isOne`. */
export type Similarity = {
  /** Of all lines of the two places the part that both have, 0 where both are the whole file; null where they share nothing. */
  readonly shared: number | null;
  /** The quoted lines are equal, wherever they stand. */
  readonly sameCode: boolean;
  /** `one`: only one of them names a rule. */
  readonly rule: 'same' | 'other' | 'one' | 'none';
  readonly sameSource: boolean;
  /** Of the shorter title's words the part that the longer one has, little words apart: 0 where that is a single word, 1 where they are equal. */
  readonly title: number;
  /** Both titles speak of the same names of the code. A rule knows none: of it and a model, both have a word of the rule, such as `sql`. */
  readonly sameNames: boolean;
  /** `alike`: models are not sure whether it is a bug or a security hole; a missing test is neither. */
  readonly category: 'equal' | 'alike' | 'other';
  /** Levels by which the other is more severe than the one. */
  readonly rise: number;
};

/** What is compared. What both leave out does not tell them apart. */
export type Comparable = Pick<Finding, 'title' | 'ruleId'> &
  Partial<Pick<Finding, 'path' | 'anchor' | 'category' | 'severity' | 'source'>> & {
    /** Of the quoted lines, where the lines themselves are not kept. */
    readonly digests?: readonly string[];
  };

export function similarity(one: Comparable, other: Comparable): Similarity {
  const shared = sharedLines(one, other);
  const sameSource = one.source === other.source;
  const haveSame = sameSource ? haveSameNames : shareRuleWord;
  const code = codeOf(one);
  return {
    shared,
    sameCode: code.trim() !== '' && code === codeOf(other),
    rule: rulesOf(one, other),
    sameSource,
    title: titleShare(one.title, other.title),
    sameNames: shared !== null && shared > 0 && haveSame(one, other),
    category: categoriesOf(one, other),
    rise: levelOf(one) - levelOf(other),
  };
}

type Use = (one: Comparable, other: Comparable) => boolean;

/** Two rules are never one, whatever else they have in common. */
function when(holds: (facts: Similarity) => boolean): Use {
  return (one, other) => {
    const facts = similarity(one, other);
    return facts.rule !== 'other' && holds(facts);
  };
}

const alikeShare = 0.8; // "user may be null" and "order may be null" stay two: three of four words are not enough.
const mostlyShared = 1 / 3;

const meet = ({ shared }: Similarity) => shared !== null;
const meetMostly = ({ shared }: Similarity) => shared !== null && shared >= mostlyShared;
const sayTheSame = ({ title, category }: Similarity) => title >= alikeShare && category !== 'other';
const areOneMatter = (facts: Similarity) => facts.rule === 'same' || sayTheSame(facts);
const inOtherWords = (facts: Similarity) =>
  facts.category === 'equal' && facts.sameNames && (facts.sameSource || meetMostly(facts));

/** Whether two findings are one. When unsure they are two: a lost bug costs more than an echo. Each use says how it differs from `inReview`. */
export const isOne = {
  /** Of two conversations, or of one and the rules: on a common line, by the same rule or title, or in other words about the same names. */
  inReview: when((facts) => meet(facts) && (areOneMatter(facts) || inOtherWords(facts))),
  /** Of one conversation, which names what it sees once: other words mean another defect, also under the same rule. */
  inConversation: when((facts) => meet(facts) && sayTheSame(facts)),
  /** One of the two is about a file of another conversation, which mostly says it itself. */
  ofGuest: when((facts) => meetMostly(facts) && facts.sameSource && facts.category === 'equal'),
  /** Of two passes over the same files: agreement is counted, so that a common line is enough. The whole file is a line of all its findings. */
  inPasses: when((facts) => meet(facts) && (facts.shared !== 0 || areOneMatter(facts))),
  /** Of several places, where nothing but the words tells: `gatherCauses` asks it for those with the very same ones. */
  elsewhere: when(
    ({ shared, category, rise, rule }) => shared === null && category === 'equal' && rise === 0 && rule !== 'one',
  ),
  /** Of what was given back and what came for it: the place was wrong, and may be another now. */
  asAnswer: when(sayTheSame),
  /** The other names the one by its id: nothing but another rule speaks against that. */
  named: when(() => true),
  /** The other of a later run: the same lines in other words are one, unless it is worse now. */
  later: when((facts) => areOneMatter(facts) || (facts.sameCode && facts.category !== 'other' && facts.rise <= 0)),
  /** The same of one that was declined: a decline is of that defect, and of nothing else or worse on its lines. */
  declined: when((facts) => facts.category === 'equal' && facts.rise <= 0 && areOneMatter(facts)),
} as const satisfies Readonly<Record<string, Use>>;

/** Both take an earlier finding and one of this run, whose places are known to meet. */
export const { later: isSameDefect, declined: isSameDeclined } = isOne;

/** True when both are about a common line of a file, or about the whole of it. */
export function inOnePlace(one: Pick<Finding, 'path' | 'anchor'>, other: Pick<Finding, 'path' | 'anchor'>): boolean {
  return sharedLines(one, other) !== null;
}

/** True when the places share a line on the same side, or are both the whole file. */
export function overlaps(one: Anchor, other: Anchor): boolean {
  return inOnePlace({ path: '', anchor: one }, { path: '', anchor: other });
}

type Placed = Pick<Comparable, 'path' | 'anchor'>;

function sharedLines({ path, anchor: one }: Placed, { path: otherPath, anchor: other }: Placed): number | null {
  if (one === undefined || other === undefined || path !== otherPath) return null;
  if (one.kind === 'file' || other.kind === 'file') return one.kind === other.kind ? 0 : null;
  if (one.side !== other.side || one.startLine > other.endLine || other.startLine > one.endLine) return null;
  return shareInCommon(one, other);
}

/** Of all lines of two places that overlap, the part that both have. */
export function shareInCommon(one: LinesAnchor, other: LinesAnchor): number {
  const common = Math.min(one.endLine, other.endLine) - Math.max(one.startLine, other.startLine) + 1;
  return common / (Math.max(one.endLine, other.endLine) - Math.min(one.startLine, other.startLine) + 1);
}

function codeOf({ digests, anchor }: Comparable): string {
  return digests?.join() ?? (anchor?.kind === 'lines' ? anchor.quote : '');
}

function rulesOf({ ruleId: one }: Comparable, { ruleId: other }: Comparable): Similarity['rule'] {
  if (one === null || other === null) return one === other ? 'none' : 'one';
  return one === other ? 'same' : 'other';
}

/** True when the shorter title's words, little words apart, are nearly all in the longer one. */
export function isSameTitle(one: string, other: string): boolean {
  return titleShare(one, other) >= alikeShare;
}

function titleShare(one: string, other: string): number {
  if (one.trim().toLowerCase() === other.trim().toLowerCase()) return 1;
  const [named, alsoNamed] = [codeNamesIn(one), codeNamesIn(other)];
  // Of two calls the one may be wrong and the other right, whatever else is said of both.
  if (named.length > 0 && alsoNamed.length > 0 && !named.some((name) => alsoNamed.includes(name))) return 0;
  const [words, others] = [wordsOf(one), wordsOf(other)];
  const common = [...words].filter((word) => others.has(word)).length;
  return common < 2 ? 0 : common / Math.min(words.size, others.size);
}

/** What a title names as code: calls, and what stands in backticks. */
function codeNamesIn(title: string): readonly string[] {
  const text = title.slice(0, limits.titleCharacters).toLowerCase();
  const quoted = text
    .split('`')
    .flatMap((part, index) => (index % 2 === 1 ? (part.match(word) ?? []).slice(0, 1) : []));
  const tokens = text.match(wordOrCall) ?? [];
  return [...quoted, ...tokens.filter((_, index) => tokens[index + 1] === '(')];
}

const word = /[\p{L}\p{N}_$]+/gu;
const wordOrCall = /[\p{L}\p{N}_$]+|\(/gu;

function haveSameNames(one: Comparable, other: Comparable): boolean {
  const code = [namesIn(one.anchor), namesIn(other.anchor)];
  const [names = '', others] = [one, other].map(({ title }) =>
    [...wordsOf(title)]
      .filter((word) => code.some((some) => some.has(word)))
      .sort()
      .join(' '),
  );
  return names !== '' && names === others;
}

function shareRuleWord(one: Comparable, other: Comparable): boolean {
  const [rule, model] = one.source === 'rule' ? [one, other] : [other, one];
  if (rule.ruleId === null || model.ruleId !== null) return false;
  const words = wordsOf(`${rule.title} ${rule.ruleId.replaceAll('-', ' ')}`);
  return [...wordsOf(model.title)].some((word) => words.has(word) && !vagueWords.has(word));
}

const defects: ReadonlySet<Category | undefined> = new Set(['bug', 'security', 'performance']);

function categoriesOf({ category: one }: Comparable, { category: other }: Comparable): Similarity['category'] {
  if (one === other) return 'equal';
  return defects.has(one) === defects.has(other) ? 'alike' : 'other';
}

function levelOf({ severity }: Comparable): number {
  return severity === undefined ? 0 : severities.indexOf(severity);
}

const vagueWords = new Set('code file from line lines source text used value values written'.split(' '));
const littleWords = new Set(
  'a an the is are be was may can could might will to of in on at by for from with and or not no it its this that when if'.split(
    ' ',
  ),
);

// A title is compared with each of a hundred others at its place.
const known = new Map<string, ReadonlySet<string>>();
const mostKnown = 20_000;

export function wordsOf(title: string): ReadonlySet<string> {
  const text = title.slice(0, limits.titleCharacters).toLowerCase();
  const words = known.get(text) ?? significantWords(text);
  if (known.size >= mostKnown) known.clear();
  known.set(text, words);
  return words;
}

/** Of one quote, in characters: what a title speaks of stands early. */
const quoteCharacters = 4_000;
/** Of each place once: it is compared with all that is there. */
const namesOf = new WeakMap<Anchor, ReadonlySet<string>>();
const none: ReadonlySet<string> = new Set();

function namesIn(anchor: Anchor | undefined): ReadonlySet<string> {
  if (anchor === undefined || anchor.kind === 'file') return none;
  const names = namesOf.get(anchor) ?? significantWords(anchor.quote.slice(0, quoteCharacters));
  namesOf.set(anchor, names);
  return names;
}

function significantWords(text: string): ReadonlySet<string> {
  return new Set(
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+/gu)
      ?.filter((word) => !littleWords.has(word)),
  );
}
