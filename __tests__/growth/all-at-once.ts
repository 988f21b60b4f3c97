/** Takes in each hostile input at its full size, one after the other, and prints their names. `node __tests__/growth/all-at-once.ts` */
import { renderPullRequest } from '../../src/core/batches/render-pull-request.ts';
import { placed as placedAt } from '../../src/core/findings/finding.ts';
import { mergeFindings, mergePasses } from '../../src/core/findings/merge.ts';
import { placeFindings } from '../../src/core/findings/place.ts';
import { isOne } from '../../src/core/findings/similarity.ts';
import { answersOf, pauseOf } from '../../src/core/history/answers.ts';
import { commandsIn } from '../../src/core/history/commands.ts';
import { commandsFor, declinesOf } from '../../src/core/history/declines.ts';
import { readMarks, withoutMarks } from '../../src/core/history/mark.ts';
import { matchFindings } from '../../src/core/history/match.ts';
import { noMemory } from '../../src/core/history/memory.ts';
import { mapLines } from '../../src/core/history/positions.ts';
import { narrowToScope } from '../../src/core/history/scope.ts';
import { fitState, joinStates, packState, unpackState } from '../../src/core/history/state.ts';
import { withoutTwins } from '../../src/core/history/twins.ts';
import type { ChangedFile } from '../../src/core/pull-request/changed-file.ts';
import type { PullRequest } from '../../src/core/pull-request/pull-request.ts';
import { renderAnnotations } from '../../src/core/report/annotations.ts';
import { renderAnswer } from '../../src/core/report/answer.ts';
import { renderReviewPost } from '../../src/core/report/review-post.ts';
import { sanitiseMarkdown } from '../../src/core/report/sanitise.ts';
import { renderSarif } from '../../src/core/report/sarif.ts';
import { renderSticky } from '../../src/core/report/sticky.ts';
import { renderSummary } from '../../src/core/report/summary.ts';
import { deliver } from '../../src/core/review/deliver.ts';
import { plainAnswer } from '../../src/core/review/review.ts';
import { openGate } from '../../src/core/review/verdict.ts';
import { hunk } from '../core/findings/make.ts';
import { asking } from '../fakes/asking.ts';
import { knownFinding, prior, roundOf, stateOf } from '../fakes/earlier-rounds.ts';
import { changedFile, hunkOf } from '../fakes/memory-repository.ts';
import {
  context,
  finding,
  keys,
  marked,
  ownRemark,
  pullRequest,
  recordOf,
  remark,
  review,
  reviewer,
  thread,
} from '../fakes/review-record.ts';
import { answers, changes, findingAt, type Growing, growing, growingText, many } from './changes.ts';
import { oneLine } from './one-line.ts';

/** What is multiplied of findings, of what was said before, and of how it is told. */
export const findings: readonly Growing[] = [
  growing('equal lines around a standing finding', 12_000, (count) => {
    const file = changedFile('src/a.ts', { hunks: [equalLines(count)] });
    const lines = { side: 'RIGHT', startLine: 1, endLine: count, digests: [] } as const;
    return () => mapLines({ path: 'src/a.ts', lines }, [file]);
  }),
  growing('standing findings among equal lines', 100, (count) => {
    const file = changedFile('src/a.ts', { hunks: [equalLines(count * 10)] });
    const lines = many(
      count,
      (index) => ({ side: 'RIGHT', startLine: index * 10 + 1, endLine: index * 10 + 5, digests: [] }) as const,
    );
    return () => lines.map((each) => mapLines({ path: 'src/a.ts', lines: each }, [file]));
  }),
  growing('lines of a standing finding', 1_000_000, (count) => {
    const file = changedFile('src/a.ts', { hunks: [hunkOf(['-a', '+b'])] });
    const lines = { side: 'RIGHT', startLine: 1, endLine: count, digests: [] } as const;
    return () => mapLines({ path: 'src/a.ts', lines }, [file]);
  }),
  growing('findings and earlier ones at one place', 500, (count) =>
    compared(many(count, (index) => findingAt(1, { id: `f${index}`, title: `the ${index}` }))),
  ),
  growing('findings and earlier ones, one a line', 500, (count) =>
    compared(many(count, (index) => findingAt(index + 1))),
  ),
  growing('findings of two batches', 1_000, (count) => {
    const group = (id: string) => many(count, (index) => findingAt(index + 1, { id: `${id}${index}` }));
    const groups = [group('a'), group('b')];
    return () => [mergeFindings(groups, isOne.inReview), mergePasses(groups)];
  }),
  growing('hunks and findings in them', 1_000, (count) => {
    const found = many(count, (index) => findingAt(index * 10 + 1));
    const file = { ...manyHunks(count), path: 'src/cart.ts' };
    return () => placeFindings(found, { files: [file] });
  }),
  growing('hunks and hunks of the last push', 1_000, (count) => {
    const since = changedFile('a.ts', {
      hunks: many(count, (index) => hunk({ old: index * 10 + 7, new: index * 10 + 7 }, '+b')),
    });
    const receipt = { key: '', path: '', readings: 1, approves: true, conversation: 0 };
    const standing = { files: new Map([['a.ts', { kind: 'pushed', receipt, since } as const]]), kept: [], key: 0 };
    return () => narrowToScope([manyHunks(count)], { standing, approves: false });
  }),
  growing('threads', 200, (count) => {
    const comments = many(5, () => remark({ body: 'not a bug '.repeat(50) }));
    return prompt({ threads: many(count, (index) => thread({ id: `T${index}`, comments })) });
  }),
  growing('comments of a thread', 500, (count) => {
    const said = many(count, (index) => remark({ author: `a${index}`, body: 'Not a bug' }));
    return () => declinesOf({ thread: thread({ comments: [ownRemark('x'), ...said] }) }, async () => true);
  }),
  growing('commits', 500, (count) =>
    prompt({ commits: many(count, (index) => commit(`fix ${index}\n\n${'body\n'.repeat(20)}`)) }),
  ),
  growing('lines of the only commit', 2_000, (count) => {
    const body = many(count, (index) => `line ${index}`).join('\n');
    return prompt({ body, commits: [commit(body)] });
  }),
  growingText('characters of title and body', {
    size: 100_000,
    part: 'a ',
    read: (text) => prompt({ title: text, body: text })(),
  }),
  growingText('marks in a comment', { size: 1_000, part: '<!-- postil:v2 {"kind":"x"} -->', read: marksIn }),
  growingText('marks that never end', { size: 20_000, part: '<!-- postil:v2 {', read: marksIn }),
  ...['`<!--', '<!---->', '<!-- x -->\n', '> a\n', '```\n', '    a\n', '*_', '/postil dismiss p-3f09ab12 x\n'].map(
    (part) => growingText(`reply of ${JSON.stringify(part)}`, { size: 20_000, part, read: declinesByReply }),
  ),
  // Of the 65,536 characters that GitHub takes in a comment.
  ...['/postil\n', '/postil ask p-', '/postil fix `p-1 ', '/postil fix https://a#b ', '$\n/postil\n'].map((part) =>
    growingText(`commands of ${JSON.stringify(part)}`, { size: 250, part, read: (text) => commandsIn(text, 'x') }),
  ),
  growing('answers and pauses', 100, (count) => {
    const said = many(count, (index) => remark({ author: `a${index}`, body: '/postil pause' }));
    return () => [
      answersOf({ conversation: said, threads: [] }, { name: 'x', signs: false }),
      pauseOf({ conversation: said, threads: [] }, { name: '', canWrite: async () => false }),
    ];
  }),
  ...['a`', '*_~[', '```\n', '\u202E'].map((part) =>
    growingText(`an answer of ${JSON.stringify(part)}`, {
      ...{ size: 500, part },
      read: (text) =>
        renderAnswer(
          {
            ...plainAnswer,
            asked: asking('/postil ask x'),
            text,
            notFound: text,
            suggestion: { code: text, applies: false },
          },
          answerForm,
        ),
    }),
  ),
  ...[
    ...['*_~', '> ', '>', '- ', '* - + ', '>- ', '1. ', '[', '![', '[a](', '<a ', '`a``b', '[^a]', '@a '],
    ...['a|b\n-|-\n', 'a\n=\n', '- a\n  '],
  ].map((part) =>
    growingText(`Markdown of ${JSON.stringify(part)}`, { size: 1_000, part, read: (text) => sanitiseMarkdown(text) }),
  ),
  growing('findings of hostile Markdown in a review', 30, (count) => {
    const hostile = many(count, (index) =>
      findingAt(index + 1, { review: '*_~['.repeat(2_500), evidence: '>- '.repeat(2_000) }),
    );
    return () => renderReviewPost(review({ findings: hostile.map((finding) => placedAt(finding, 'inline')) }), context);
  }),
  growing('findings in the summary comment', 300, (count) => {
    const posted = placed(count).map((one) => ({ ...one, knownAs: `p-${one.id}` }));
    const record = recordOf({ findings: posted, identity: reviewer, round: roundOf() });
    return () => renderSticky(record, { ...context, keys, comment: 1, present: null });
  }),
  growing('findings of two runs at once', 100, (count) => {
    const [ours, theirs] = [stateOf({ findings: [] }), manyKnown(count)];
    return () => fitState(joinStates(ours, theirs), 46_000);
  }),
  growing('findings in a state that is read', 100, (count) => {
    const data = packState(manyKnown(count));
    return () => unpackState(data, { number: 1, run: '1-1' });
  }),
  growing('threads of two runs on one line', 300, (count) => {
    const twice = many(count, (index) => {
      const one = findingAt(1, { id: `f${index}`, title: `the ${index}` });
      return prior(one, { mark: marked(one, { run: `${index}-1` }) });
    });
    return () => withoutTwins(twice);
  }),
  growing('findings in the job summary', 100, (count) => {
    const record = recordOf({ findings: placed(count) });
    return () => renderSummary(record, context);
  }),
  growing('findings in SARIF', 500, (count) => {
    const record = recordOf({ findings: placed(count) });
    return () => renderSarif(record, { ...context, version: '1.0.0' });
  }),
  growing('findings as annotations', 1_000, (count) => () => renderAnnotations(review({ findings: placed(count) }))),
  growing('findings that were delivered', 1_000, (count) => {
    const delivered = many(count, (index) => ({ findingId: `f${index + 1}`, place: 'inline', url: null }) as const);
    const delivery = { sink: 'pull request review', status: 'delivered', reason: [], delivered, url: null } as const;
    const destinations = [{ name: 'pull request review', deliver: async () => delivery } as const];
    return () => deliver(review({ findings: placed(count) }), { destinations, gate: openGate }, () => undefined);
  }),
];

const answerForm = {
  ...{ context, identity: { name: 'R', run: '1-1' }, head: 'a'.repeat(40), movedTo: null, at: '', gate: null },
} as const;

/** As a reply in a thread and as a comment below the pull request. */
function declinesByReply(body: string) {
  const said = thread({ comments: [ownRemark('x'), remark({ author: 'grace', body })] });
  commandsFor(['p-3f09ab12'], { conversation: said.comments, threads: [], reviews: [] });
  return declinesOf({ thread: said }, async () => true);
}

function equalLines(count: number) {
  return hunkOf([...many(count, () => '-same'), ...many(count, () => '+ same')]);
}

function manyHunks(count: number): ChangedFile {
  return changedFile('a.ts', {
    hunks: many(count, (index) => hunk({ old: index * 10 + 1, new: index * 10 + 1 }, ' a', '+b')),
  });
}

function compared(found: readonly ReturnType<typeof findingAt>[]) {
  const earlier = found.map((one) => prior(one));
  return () => matchFindings(found, earlier);
}

/** What another run knows, each finding at ten places. */
function manyKnown(count: number) {
  const [place] = knownFinding().places;
  const places = place === undefined ? [] : many(10, () => place);
  return stateOf({
    findings: many(count, (index) => ({ ...knownFinding(marked(finding({ id: `k${index}` }))), places })),
  });
}

function prompt(changes: Partial<PullRequest>) {
  const fence = (label: string, text: string) => `<${label}>${text}`;
  return () => renderPullRequest({ ...pullRequest, ...changes }, [], { fence, memory: noMemory });
}

function commit(message: string) {
  return { sha: 'a'.repeat(40), message, author: 'ada', date: '2026-11-02' };
}

function marksIn(text: string) {
  return [readMarks(text), withoutMarks(text)];
}

function placed(count: number) {
  return many(count, (index) => placedAt(findingAt(index + 1), 'inline'));
}

export const allGrowing: readonly Growing[] = [...changes, ...findings, ...answers, ...oneLine];

if (import.meta.main) {
  for (const { name, size, prepare } of allGrowing) {
    await prepare(size * 10)();
    console.log(name);
  }
}
