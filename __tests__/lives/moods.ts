import {
  honest,
  type Manner,
  nameIn,
  type Reviewer,
  type Seen,
  type Sight,
  type SubmittedAnswer,
  type SubmittedFinding,
} from './reviewer.ts';

/** `lazy` reports two of three defects; `chatty` adds something new to each review; `liar` says wrong things that nothing proves. */
export type Mood = 'honest' | 'lazy' | 'chatty' | 'liar';

type Mannered = Manner & {
  /** A number more with each run. */
  readonly run: number;
};

export function reviewerOf(mood: Mood, sight: Sight, manner: Mannered): Reviewer {
  const reviewer = honest(sight, manner);
  const { run } = manner;
  switch (mood) {
    case 'honest':
      return reviewer;
    case 'lazy':
      return (seen) => {
        const { findings, earlier } = reviewer(seen);
        return { findings: findings.filter((_, index) => (index * 7 + run * 5) % 3 !== 0), earlier };
      };
    case 'chatty':
      return (seen) => {
        const { findings, earlier } = reviewer(seen);
        return { findings: [...findings, ...remark(seen, run)], earlier: earlier.map((one) => onRemark(one, seen)) };
      };
    case 'liar':
      return (seen) => {
        const { findings, earlier } = reviewer(seen);
        const [raised] = seen.raised.slice(run % Math.max(1, seen.raised.length));
        const claimed = findings.map((one, index) =>
          (index + run) % 2 === 0 ? one : { ...one, same_as: raised?.id ?? null },
        );
        return {
          findings: claimed,
          earlier: earlier.map((one, index) => lie(one, { seen, sight, number: index + run })),
        };
      };
  }
}

const severities = ['info', 'warning', 'nitpick'] as const;

/** Something new about a plain line of the change, never critical. */
function remark({ rows }: Seen, run: number): readonly SubmittedFinding[] {
  const plain = rows.filter(({ sign, text }) => sign === '+' && /^const /.test(text));
  const row = plain[run % Math.max(1, plain.length)];
  if (row === undefined) return [];
  const { path, line, text } = row;
  const words = remarks[run % remarks.length] ?? '';
  const severity = severities[run % severities.length] ?? 'info';
  return [{ path, quote: text, lines: `${line}-${line}`, title: `${words} ${run}`, review: `${words}.`, severity }];
}

const remarks = [
  'Empty carts reach checkout twice',
  'Rounding loses a cent',
  'Locale decides the separator',
  'Two clocks disagree at midnight',
  'Retries multiply orders',
  'Nobody closes the stream',
  'Sorting is unstable for equal prices',
];

/** Of what it only remarked, nothing is proven. */
function onRemark(answer: SubmittedAnswer, { questions }: Seen): SubmittedAnswer {
  const question = questions.find(({ id }) => id === answer.id);
  if (question === undefined || nameIn(question.title) !== null) return answer;
  return { id: answer.id, state: 'unsure', path: null, quote: null };
}

type Lying = { readonly seen: Seen; readonly sight: Sight; readonly number: number };

/** Says of what is there that it is fixed, with a proof that is none, and now and then the other way round. */
function lie(answer: SubmittedAnswer, { seen, sight, number }: Lying): SubmittedAnswer {
  const { id, state } = answer;
  const question = seen.questions.find((one) => one.id === id);
  if (question === undefined) return answer;
  if (state === 'fixed') return number % 3 === 0 ? { id, state: 'still there', path: null, quote: null } : answer;
  const { path } = question;
  // What went elsewhere is not there any more: nobody could tell such a lie from the truth.
  if (sight.head.texts.get(path)?.includes(`${nameIn(question.title)}(input)`) !== true) return answer;
  const quotes = [answer.quote, 'this is nowhere();', '// It is guarded.', unchangedLine(path, sight)];
  return { id, state: 'fixed', path, quote: quotes[number % quotes.length] ?? null };
}

/** A line that every head has had. */
function unchangedLine(path: string, { head }: Sight): string | null {
  return head.texts.get(path)?.split('\n')[0] ?? null;
}
