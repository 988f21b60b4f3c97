import { describe, expect, it } from 'vitest';
import { allPermissions, type Permissions } from '../fakes/github-server/world.ts';
import { commentEvent } from '../fakes/world/event.ts';
import { defectFinding, defectLine, fixedOf, openShop, play, push, reviewOf, shopFile, shopText } from './review.ts';

const file = shopFile(0);
const fixedLine = '  return items[items.length - 1] ?? 0;';
const fixed = shopText(0, 1).replace(defectLine(0), fixedLine);

/** A run, a push that fixes what it found, a second run, and a command in the conversation: all on an Enterprise Server of the oldest version. */
async function lifeOn(permissions: Permissions) {
  const app = { viewer: 'postil-app[bot]', permissions, collaborators: { ada: 'write', grace: 'write' } } as const;
  const authors = ['ada <ada@users.noreply.github.com>'];
  const { stage, scenario, say, runJob } = await openShop(1, { github: { ...app, isEnterprise: true }, authors });
  const inputs = { 'review-event': 'approve', 'check-run': 'true' };
  say(reviewOf([0]));
  const first = await runJob(inputs);
  const after = await push(stage, { files: { [file]: fixed } });
  say(fixedOf(fixedLine));
  const second = await runJob(inputs, after);
  const asked = stage.github.people.say({ author: 'grace', body: '/postil review' });
  const third = await play(after, { ...scenario, inputs, event: commentEvent(after, asked) });
  return {
    github: stage.github,
    states: stage.github.reviews().map(({ state }) => state),
    runs: [first, second, third],
    reactions: stage.github.reactions(asked),
  };
}

describe('on GitHub Enterprise Server 3.19 a run', () => {
  it.each([
    ['resolves', 'write', { resolved: true, isMinimized: false }],
    ['minimises', 'read', { resolved: false, isMinimized: true }],
  ] as const)(
    'posts, approves, concludes its check, %s what is fixed with `contents: %s`, and hears commands',
    async (_, contents, ended) => {
      const { github, states, runs, reactions } = await lifeOn({ ...allPermissions, contents });
      expect(runs.map(({ code, annotations }) => [code, annotations.filter(({ level }) => level === 'error')])).toEqual(
        Array(3).fill([0, []]),
      );
      expect(github.comments()[0]?.body).toContain(defectFinding(0).title);
      const [thread] = github.threads();
      expect({ resolved: thread?.resolved, isMinimized: thread?.comments[0]?.isMinimized }).toEqual(ended);
      // It asked for changes, took that back, and approved.
      expect(states).toEqual(['DISMISSED', 'APPROVED']);
      expect(new Set(github.checkRuns().map(({ content }) => content['status']))).toEqual(new Set(['completed']));
      expect(reactions).toEqual(['EYES', 'ROCKET']);
      // A query or an endpoint that it does not know would be among them.
      const refused = github.requests.filter(({ status }) => status === null || status >= 400);
      expect(refused.map(({ method, path, status }) => `${status} ${method} ${path}`)).toEqual([]);
    },
  );
});
