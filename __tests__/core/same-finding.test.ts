import { expect, it } from 'vitest';
import type { AcceptedItem, FailedItem } from '../../src/core/findings/check-item.ts';
import { type Finding, placed } from '../../src/core/findings/finding.ts';
import { notTakenUp } from '../../src/core/findings/give-back.ts';
import {
  withoutEchoes as eachOnce,
  inOtherWords,
  isSameTitle,
  mergeFindings,
  mergePasses,
} from '../../src/core/findings/merge.ts';
import { gatherCauses } from '../../src/core/findings/one-cause.ts';
import { matchFindings } from '../../src/core/history/match.ts';
import type { PriorFinding } from '../../src/core/history/memory.ts';
import { withAnswers } from '../../src/core/history/settle.ts';
import { withoutTwins } from '../../src/core/history/twins.ts';
import { verbatim } from '../../src/core/messages/message.ts';
import { renderSarif } from '../../src/core/report/sarif.ts';
import { proposeAnswers } from '../../src/core/team/learn.ts';
import { prior } from '../fakes/earlier-rounds.ts';
import { context, finding, linesAt, marked, recordOf } from '../fakes/review-record.ts';
import { changedFile, submitted } from './findings/make.ts';

// What each place decides today, right or not: who merges the notions sees here which decisions change.

/** Lines of a file of which no two are equal, and all speak of a price. */
function at(first: number, last = first) {
  const lines = Array.from({ length: last - first + 1 }, (_, index) => `  add(item${first + index}.price);`);
  return { anchor: linesAt([first, last], lines.join('\n')) };
}

const plain: Partial<Finding> = { ...at(12), severity: 'warning', title: 'The last price is read past the end' };
const otherTitle = { title: 'Nobody logs who asked' };
const ofRule = { source: 'rule', ruleId: 'no-x', title: 'A price without a currency' } as const;
const otherFile = { path: 'src/order.ts' };

/** What the second is, as changes to the first; then what the first is, where it is not the plain one. */
const pairs: readonly (readonly [name: string, second: Partial<Finding>, first?: Partial<Finding>])[] = [
  ['the same', {}],
  ['one word of five is another', { title: 'The final price is read past the end' }],
  ['two words of five are others', { title: 'The final price is read after the end' }],
  ['another title on the same line', otherTitle],
  ['one line further down', at(13)],
  ['the same code, one line further down', { anchor: { ...at(12).anchor, startLine: 13, endLine: 13 } }],
  ['on overlapping lines', at(11, 13)],
  ['another title, overlapping lines', { ...at(11, 13), ...otherTitle }],
  ['far away in the file', at(300)],
  ['on a line, and of the whole file', { anchor: { kind: 'file' } }],
  ['both of the whole file', {}, { anchor: { kind: 'file' } }],
  ['in another file', otherFile],
  ['one rule, another title', otherTitle, { ruleId: 'no-x' }],
  ['one rule, far away in the file', at(300), { ruleId: 'no-x' }],
  ['another rule', { ruleId: 'no-y' }, { ruleId: 'no-x' }],
  ['a rule and none', { ruleId: null }, { ruleId: 'no-x' }],
  ['a like category', { category: 'security' }],
  ['an unlike category', { category: 'test' }],
  ['an unlike category, overlapping lines', { ...at(11, 13), category: 'test' }],
  ['less severe', { severity: 'info' }],
  ['more severe', { severity: 'critical' }],
  ['another title, less severe', { ...otherTitle, severity: 'info' }],
  ['another title, more severe', { ...otherTitle, severity: 'critical' }],
  ['of a rule, and of the model', { source: 'model', ruleId: null, title: 'The last price is wrong' }, ofRule],
  ['of a rule, and the model names it', { source: 'model', title: 'The last price is wrong' }, ofRule],
  ['nothing in common', { ...otherFile, ...otherTitle, ...at(300), category: 'test', severity: 'info' }],
];

type Notion = (one: Finding, other: Finding) => boolean;

const files = [changedFile('src/cart.ts'), changedFile('src/order.ts')];

function failed(one: Finding): FailedItem {
  return {
    ...{ ok: false, number: 1, isBlank: false, least: one.severity, reason: '', told: verbatim('') },
    finding: { ...one, anchor: { kind: 'file' } },
  };
}

function accepted({ path, title, severity, anchor }: Finding): AcceptedItem {
  const grounded = { ok: true, path, anchor, suggestion: null } as const;
  const proof = { citations: [], evidence: '', problems: [], alsoAt: [] };
  return { ok: true, number: 2, item: submitted({ path, title, severity }), grounded, proof };
}

const ofOneRun: Readonly<Record<string, Notion>> = {
  'the title': (one, other) => isSameTitle(one.title, other.title),
  'word for word': (one, other) => eachOnce([one, other]).length === 1,
  'one answer': (one, other) => mergeFindings([[one], [other]]).length === 1,
  'one cause': (one, other) => gatherCauses([one, other]).length === 1,
  // Two conversations, or one and the rules.
  reviewers: (one, other) => mergeFindings([[one], [other]], inOtherWords).length === 1,
  'two passes': (one, other) => mergePasses([[one], [other]]).findings.length === 1,
  'given back': (one, other) => notTakenUp([failed(one)], { by: [accepted(other)], recited: [], files }).length === 0,
  // What only cites again what was accepted takes up nothing else.
  'cited again': (one, other) => {
    const lost = failed(finding({ ...other, title: 'Lost', severity: 'nitpick' }));
    return notTakenUp([lost], { by: [accepted(other)], recited: [accepted(one)], files }).length === 1;
  },
};

/** The first as one of an earlier run. */
const isAgain = (changes: (one: Finding) => Partial<PriorFinding>): Notion => {
  return (one, other) => {
    const earlier = withAnswers([prior(one, changes(one))], { answers: [], found: [other] });
    const { standing, declinedAgain } = matchFindings([other], earlier);
    return standing.length + declinedAgain.length === 1;
  };
};

const later: Readonly<Record<string, Notion>> = {
  open: isAgain(() => ({})),
  declined: isAgain(() => ({ declined: true })),
  // Its old commit is gone.
  unmapped: isAgain(({ path }) => ({ present: { kind: 'unmapped', path } })),
  fixed: isAgain(() => ({ life: 'fixed', isBack: false, present: { kind: 'gone' } })),
  // Its code was never found.
  unplaced: isAgain((one) => {
    const anchor = { kind: 'file' } as const;
    return { mark: marked({ ...one, anchor }, { unplaced: true }), present: { kind: 'here', path: one.path, anchor } };
  }),
  // One that ended, and one that stands.
  'both earlier': (one, other) => {
    const [ended] = withoutTwins([prior(one, { life: 'fixed' }), prior(other)]).prior;
    return ended?.present.kind === 'gone';
  },
  // Two runs at once made them.
  'two threads': (one, other) => {
    const second = prior(other, { mark: marked(other, { run: '8-1' }) });
    return withoutTwins([prior(one), second]).twins.length === 1;
  },
  // Two that were declined.
  lesson: (one, other) => proposeAnswers([lesson(one), lesson(other)], '').length === 1,
  fingerprint: (one, other) => fingerprint(one) === fingerprint(other),
};

function lesson({ id, path, title, ruleId }: Finding) {
  return { path, title, ruleId, by: 'grace', words: '', date: '2026-11-01', url: `https://x.example/${id}` };
}

function fingerprint(one: Finding) {
  const [run] = renderSarif(recordOf({ findings: [placed(one, 'inline')] }), { ...context, version: '1.2.3' }).runs;
  return run?.results?.[0]?.partialFingerprints?.['postilFinding/v2'];
}

function both([, second, first]: (typeof pairs)[number]): readonly [Finding, Finding] {
  const one = finding({ ...plain, ...first });
  return [one, finding({ ...one, ...second, id: 'f2' })];
}

/** A line for each pair, a column for each notion. */
function table(notions: Readonly<Record<string, Notion>>): string {
  const names = Object.keys(notions);
  const line = (name: string, cells: readonly string[]) =>
    [name.padEnd(38), ...cells.map((cell, index) => cell.padEnd(Math.max(9, names[index]?.length ?? 0)))].join(' ');
  const rows = pairs.map((pair) => {
    const cells = Object.values(notions).map((isSame) => (isSame(...both(pair)) ? 'same' : 'different'));
    return line(pair[0], cells);
  });
  return [line('', names), ...rows].map((row) => row.trimEnd()).join('\n');
}

it('is the same in one run', () => {
  expect(table(ofOneRun)).toMatchInlineSnapshot(`
    "                                       the title word for word one answer one cause reviewers two passes given back cited again
    the same                               same      same          same       different same      same       same       same
    one word of five is another            same      different     same       different same      same       same       same
    two words of five are others           different different     different  different same      same       same       different
    another title on the same line         different different     different  different different same       same       different
    one line further down                  same      different     different  same      different different  same       same
    the same code, one line further down   same      different     different  same      different different  same       same
    on overlapping lines                   same      different     same       different same      same       same       same
    another title, overlapping lines       different different     different  different different same       same       different
    far away in the file                   same      different     different  same      different different  same       same
    on a line, and of the whole file       same      different     different  different different different  same       same
    both of the whole file                 same      same          same       different same      same       same       same
    in another file                        same      different     different  same      different different  same       different
    one rule, another title                different different     different  different different same       same       different
    one rule, far away in the file         same      different     different  same      different different  same       same
    another rule                           same      same          different  different different different  same       same
    a rule and none                        same      same          same       different same      same       same       same
    a like category                        same      same          same       different same      same       same       same
    an unlike category                     same      same          same       different same      same       same       same
    an unlike category, overlapping lines  same      different     same       different same      same       same       same
    less severe                            same      same          same       different same      same       same       same
    more severe                            same      same          same       different same      same       same       same
    another title, less severe             different different     different  different different same       different  different
    another title, more severe             different different     different  different different same       same       different
    of a rule, and of the model            different different     different  different same      same       same       different
    of a rule, and the model names it      different different     same       different same      same       same       different
    nothing in common                      different different     different  different different different  different  different"
  `);
});

it('is the same in a later run, or by what is kept of it', () => {
  expect(table(later)).toMatchInlineSnapshot(`
    "                                       open      declined  unmapped  fixed     unplaced  both earlier two threads lesson    fingerprint
    the same                               same      same      same      different same      same         same        same      same
    one word of five is another            same      same      same      different same      same         same        same      same
    two words of five are others           same      different same      different different different    different   different same
    another title on the same line         same      different same      different different different    different   different same
    one line further down                  different different different different same      different    different   same      different
    the same code, one line further down   different different same      different same      different    different   same      same
    on overlapping lines                   same      same      same      different same      same         same        same      different
    another title, overlapping lines       different different different different different different    different   different different
    far away in the file                   different different different different same      different    different   same      different
    on a line, and of the whole file       different different different different same      different    different   same      different
    both of the whole file                 same      same      same      different same      same         same        same      same
    in another file                        different different different different different different    different   different different
    one rule, another title                same      same      same      different same      same         same        same      same
    one rule, far away in the file         different different different different same      different    different   same      different
    another rule                           different different different different different different    different   different different
    a rule and none                        same      same      same      different same      same         same        different different
    a like category                        same      different same      different same      same         same        same      different
    an unlike category                     different different different different different different    different   same      different
    an unlike category, overlapping lines  different different different different different different    different   same      different
    less severe                            same      same      same      different same      same         same        same      same
    more severe                            same      different same      different same      same         same        same      same
    another title, less severe             same      different same      different different different    different   different same
    another title, more severe             different different different different different different    different   different same
    of a rule, and of the model            same      different same      different different different    different   different different
    of a rule, and the model names it      same      same      same      different same      same         same        same      same
    nothing in common                      different different different different different different    different   different different"
  `);
});

it('is the same the other way round, but for these', () => {
  const oneWay = Object.entries({ ...ofOneRun, ...later }).flatMap(([notion, isSame]) =>
    pairs.flatMap((pair) => {
      const [one, other] = both(pair);
      return isSame(one, other) === isSame(other, one) ? [] : [`${notion}: ${pair[0]}`];
    }),
  );
  expect(oneWay.join('\n')).toMatchInlineSnapshot(`
    "given back: another title, less severe
    given back: another title, more severe
    open: another title, less severe
    open: another title, more severe
    declined: less severe
    declined: more severe
    unmapped: another title, less severe
    unmapped: another title, more severe"
  `);
});
