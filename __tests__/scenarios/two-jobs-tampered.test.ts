import { describe, expect, it } from 'vitest';
import { readMarks, withoutMarks } from '../../src/core/memory/mark-text.ts';
import { submit } from '../fakes/model-server/script.ts';
import { push } from './push.ts';
import { totalWorld, wrongLine, wrongLineFinding } from './total-world.ts';
import { setTwoJobs } from './two-jobs.ts';

/** Both jobs, with somebody between them. */
async function tampered(change: (text: string) => string) {
  const jobs = await setTwoJobs(totalWorld, [submit([wrongLineFinding])]);
  await jobs.review();
  jobs.tamper(change);
  return { github: jobs.stage.github, run: await jobs.post() };
}

const saying = (title: string) => (text: string) =>
  text.replace(wrongLineFinding.title, () => JSON.stringify(title).slice(1, -1));

describe('a review file that somebody changed', () => {
  it.each([
    ['names another pull request', (text: string) => text.replace('"number":7', '"number":8'), 'octo/spoon#8'],
    ['names another repository', (text: string) => text.replace('octo/spoon', 'octo/fork'), 'octo/fork#7'],
    ['is too large', (text: string) => `${text}${' '.repeat(5_000_000)}`, 'larger than 5 MB'],
    ['is no JSON', () => 'Approved!', 'it is not JSON'],
    ['chooses the event', (text: string) => text.replace('{', '{"event":"APPROVE",'), 'unknown property "event"'],
    [
      'has a prototype',
      (text: string) => text.replace('{', '{"__proto__":{"polluted":1},'),
      'unknown property "__proto__"',
    ],
    ['has more findings than a review', (text: string) => repeated(text, 1_001), 'must NOT have more than 1000 items'],
  ])('and that %s fails the job, and nothing is posted', async (_, change, words) => {
    const { github, run } = await tampered(change);
    expect([run.code, run.outputs['outcome'], github.writes()]).toEqual([1, 'failed', []]);
    expect(run.annotations[0]?.message).toContain(words);
  });

  it('and that quotes what is not there posts nothing of it, and is not complete', async () => {
    const { github, run } = await tampered((text) => text.replace(JSON.stringify(wrongLine), '"rm -rf /"'));
    expect([run.outputs['outcome'], run.outputs['findings'], github.comments()]).toEqual(['partial', '0', []]);
    expect(run.summary).toContain('what it quotes does not stand there');
  });

  it('and that holds a mark of ours in a title gets only the mark that we write', async () => {
    const mark = `<!-- postil:v1 ${JSON.stringify({ kind: 'review', name: 'Review', run: '1-1', commit: 'a', settings: 'b' })} -->`;
    const { github } = await tampered(saying(mark));
    const marks = readMarks(github.comments()[0]?.body ?? '');
    expect(marks.map(({ kind, name }) => [kind, name])).toEqual([['finding', 'Review']]);
  });

  it('and that talks in HTML, mentions and commands says nothing that GitHub or the runner would obey', async () => {
    const words =
      '@octo/team <img src="//evil.example/x"> ![a](https://evil.example/y) fixes #1 ::error::forged ##[error]forged';
    const { github, run } = await tampered((text) =>
      saying(`\n::error::forged\n${words}`)(
        text.replace(wrongLineFinding.review.slice(0, 9), () => `${words.replaceAll('"', '\\"')}\\n\\n::error::forged`),
      ),
    );
    const posted = [...github.comments(), ...github.conversation(), ...github.reviews()]
      .map(({ body }) => withoutMarks(body))
      .join('\n');
    expect(posted).not.toMatch(/<img|!\[a\]|https:\/\/evil|(?<!`)@octo|(?<![`\w])#1\b/);
    expect(run.annotations.every(({ message }) => message !== 'forged')).toBe(true);
    expect(github.comments()).toHaveLength(1);
  });

  it('and that repeats itself a thousand times is said within the limits', async () => {
    const { github, run } = await tampered((text) => repeated(text, 1_000));
    expect([run.outputs['findings'], run.outputs['posted'], github.comments().length]).toEqual(['1000', '15', 15]);
  });
});

describe('a review file of an older head', () => {
  it('is skipped when somebody pushed between the jobs, and nothing is posted', async () => {
    const jobs = await setTwoJobs(totalWorld, [submit([wrongLineFinding])]);
    await jobs.review();
    const pushed = await push(jobs.stage, { files: { 'src/more.ts': 'export {};\n' } });
    const run = await jobs.post({}, pushed);
    expect([run.code, run.outputs['outcome'], jobs.stage.github.writes()]).toEqual([0, 'skipped', []]);
    expect(run.summary).toContain('superseded');
  });

  it('does not become one of the present head by saying so', async () => {
    const jobs = await setTwoJobs(totalWorld, [submit([wrongLineFinding])]);
    await jobs.review();
    const pushed = await push(jobs.stage, { files: { 'src/total.ts': 'export const total = 0;\n' } });
    jobs.tamper((text) => text.replaceAll(jobs.stage.world.commits.head, pushed.world.commits.head));
    const run = await jobs.post({}, pushed);
    expect([run.outputs['outcome'], jobs.stage.github.comments()]).toEqual(['partial', []]);
  });
});

/** The same finding so many times, each with a title of its own. */
function repeated(text: string, times: number): string {
  const finding = /(?<="findings":\[)\{.*?\}(?=\])/s.exec(text)?.[0] ?? '';
  const copies = Array.from({ length: times }, (_, index) =>
    finding.replace(wrongLineFinding.title, () => `Number ${index} unlike word${index} any${index} other${index}`),
  );
  return text.replace(finding, () => copies.join(','));
}
