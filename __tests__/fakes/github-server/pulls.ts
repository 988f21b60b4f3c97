import type { Reply } from '../loopback.ts';
import { gitFactText } from '../world/git.ts';
import { readPullDiff } from './changed-files.ts';
import { renderFile, renderPull, renderUser } from './render-rest.ts';
import { type Call, json, notFound, page, type RestShape, type Route, withPull } from './route.ts';
import type { StoredPull } from './store.ts';

const read = [{ permission: 'pull-requests', level: 'read' }] as const;
const readContents = [{ permission: 'contents', level: 'read' }] as const;

export const pullRoutes: readonly Route[] = [
  { method: 'GET', pattern: /^\/pulls$/, needs: read, handle: listPulls },
  { method: 'GET', pattern: /^\/pulls\/(?<number>\d+)$/, needs: read, handle: getPull },
  { method: 'GET', pattern: /^\/pulls\/(?<number>\d+)\/files$/, needs: read, handle: listFiles },
  { method: 'GET', pattern: /^\/pulls\/(?<number>\d+)\/commits$/, needs: read, handle: listPullCommits },
  { method: 'GET', pattern: /^\/compare\/(?<base>.+?)\.\.\.(?<head>.+)$/, needs: readContents, handle: compare },
  { method: 'GET', pattern: /^\/commits\/(?<sha>[0-9a-f]{40})\/pulls$/, needs: read, handle: pullsOfCommit },
];

function listPulls(call: Call): Reply {
  const state = call.query.get('state') ?? 'open';
  const head = call.query.get('head');
  const base = call.query.get('base');
  const found = call.store.pulls.filter(
    (pull) =>
      (state === 'all' || (pull.given.state === 'open') === (state === 'open')) &&
      (head === null || head === headLabel(call, pull)) &&
      (base === null || base === pull.given.base.ref),
  );
  return page(call, found, (pull) => renderPull(call.store.world, pull));
}

function headLabel(call: Call, pull: StoredPull): string {
  return `${pull.given.head.repository?.split('/')[0] ?? call.store.world.owner}:${pull.given.head.ref}`;
}

function getPull(call: Call): Promise<Reply> {
  return withPull(call, (pull) => json(200, renderPull(call.store.world, pull)));
}

/** the list stops at 3,000 files. */
function listFiles(call: Call): Promise<Reply> {
  return withPull(call, (pull) => page(call, pull.diff.files.slice(0, 3000), renderFile));
}

function listPullCommits(call: Call): Promise<Reply> {
  return withPull(call, async (pull) => {
    const range = `${pull.diff.mergeBase}..${pull.headSha}`;
    const commits = await listCommits(call.store.world.gitDirectory, ['--reverse', range]);
    return page(call, commits.slice(0, 250), renderCommit);
  });
}

async function compare(call: Call): Promise<Reply> {
  const { world } = call.store;
  // A name may carry the fork's owner in front: `ada:feature`.
  const resolve = (name: string) =>
    gitFactText(world.gitDirectory, ['rev-parse', '--verify', '--quiet', `${name.split(':').at(-1)}^{commit}`]).catch(
      () => null,
    );
  const [base, head] = await Promise.all([resolve(call.names['base'] ?? ''), resolve(call.names['head'] ?? '')]);
  if (base === null || head === null) return notFound();
  const mergeBase = await gitFactText(world.gitDirectory, ['merge-base', base, head]).catch(() => null);
  if (mergeBase === null) return notFound();
  const [[baseCommit], [mergeBaseCommit], commits, diff] = await Promise.all([
    listCommits(world.gitDirectory, ['-1', base]),
    listCommits(world.gitDirectory, ['-1', mergeBase]),
    listCommits(world.gitDirectory, ['--reverse', `${mergeBase}..${head}`]),
    readPullDiff(world.gitDirectory, { base, head }),
  ]);
  if (baseCommit === undefined || mergeBaseCommit === undefined) return notFound();
  return json(200, {
    status: relationOf({ mergeBase, base, head }),
    base_commit: renderCommit(baseCommit),
    merge_base_commit: renderCommit(mergeBaseCommit),
    ahead_by: commits.length,
    total_commits: commits.length,
    commits: commits.slice(0, 250).map(renderCommit),
    files: diff.files.slice(0, 300).map(renderFile),
  });
}

function relationOf({ mergeBase, base, head }: { mergeBase: string; base: string; head: string }): string {
  if (base === head) return 'identical';
  if (mergeBase === base) return 'ahead';
  return mergeBase === head ? 'behind' : 'diverged';
}

/** All pull requests that contain the commit, closed ones too. */
async function pullsOfCommit(call: Call): Promise<Reply> {
  const sha = call.names['sha'] ?? '';
  const contains = await Promise.all(
    call.store.pulls.map(async (pull) => {
      const range = `${pull.diff.mergeBase}..${pull.headSha}`;
      const commits = await gitFactText(call.store.world.gitDirectory, ['rev-list', range]);
      return commits.split('\n').includes(sha);
    }),
  );
  const found = call.store.pulls.filter((_, index) => contains[index]);
  return page(call, found, (pull) => renderPull(call.store.world, pull));
}

type CommitData = {
  readonly sha: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly author: string;
  readonly email: string;
  readonly committerEmail: string;
  readonly date: string;
  readonly message: string;
};

/** Commits as `git log` lists them for the given arguments. */
async function listCommits(gitDirectory: string, args: readonly string[]): Promise<readonly CommitData[]> {
  const output = await gitFactText(gitDirectory, ['log', '-z', '--format=%H%n%T%n%P%n%an%n%ae%n%ce%n%aI%n%B', ...args]);
  return output
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => {
      const [sha = '', tree = '', parents = '', author = '', email = '', committerEmail = '', date = '', ...message] =
        entry.split('\n');
      return {
        sha,
        tree,
        parents: parents.split(' ').filter(Boolean),
        author,
        email,
        committerEmail,
        date,
        message: message.join('\n').trim(),
      };
    });
}

function renderCommit(commit: CommitData): RestShape<'commit'> {
  const person = { name: commit.author, email: commit.email, date: commit.date };
  return {
    sha: commit.sha,
    commit: {
      message: commit.message,
      author: person,
      committer: person,
      tree: { sha: commit.tree },
      // GitHub signs what is made on its own pages and by its bots.
      verification: { verified: commit.committerEmail === 'noreply@github.com' },
    },
    author: accountOf(commit.email),
    committer: accountOf(commit.committerEmail),
    parents: commit.parents.map((sha) => ({ sha })),
  };
}

/** Who on GitHub owns an address; nobody owns the fixture's own. */
function accountOf(email: string): RestShape<'simple-user'> | null {
  if (email === 'noreply@github.com') return renderUser('web-flow');
  const login = /^(?:\d+\+)?(.+)@users\.noreply\.github\.com$/.exec(email)?.[1];
  return login === undefined ? null : renderUser(login);
}
