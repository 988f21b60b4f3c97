import { textAt } from '../every-pair.ts';
import type { Reply } from '../loopback.ts';
import { gitFactText } from '../world/git.ts';
import { readPullDiff } from './changed-files.ts';
import { unknownNames } from './checks.ts';
import { renderFile, renderPull, renderUser } from './render-rest.ts';
import {
  type Call,
  invalidRequest,
  json,
  notFound,
  page,
  pullRoute,
  type RestShape,
  type Route,
  route,
  validationFailed,
} from './route.ts';
import type { StoredPull } from './store.ts';

const read = ['pull-requests: read'] as const;

export const pullRoutes: readonly Route[] = [
  route('GET /pulls', read, listPulls),
  pullRoute('GET /pulls/:number', read, (call, pull) => json(200, renderPull(call.store.world, pull))),
  pullRoute('PATCH /pulls/:number', ['pull-requests: write'], editPull),
  // The list stops at 3,000 files.
  pullRoute('GET /pulls/:number/files', read, (call, pull) => page(call, pull.diff.files.slice(0, 3000), renderFile)),
  pullRoute('GET /pulls/:number/commits', read, listPullCommits),
  route('GET /compare/:base\\.\\.\\.:head', ['contents: read'], compare),
  route('GET /commits/:sha/pulls', read, pullsOfCommit),
];

/** The open ones, as nobody asks for others. */
function listPulls(call: Call): Reply {
  const { world, pulls } = call.store;
  if (call.query.get('state') !== 'open') throw new Error('The fake lists open pull requests only.');
  const label = ({ given }: StoredPull) => `${given.head.repository?.split('/')[0] ?? world.owner}:${given.head.ref}`;
  const found = pulls.filter((pull) => pull.given.state === 'open' && call.query.get('head') === label(pull));
  return page(call, found, (pull) => renderPull(world, pull));
}

/** Words only, as nobody asks for more. The web editor, not the API, turns line ends into CRLF. */
function editPull({ store, body }: Call, pull: StoredPull): Reply {
  const [unknown] = unknownNames(body, ['title', 'body']);
  if (unknown !== undefined) return invalidRequest(`"${unknown}" is not a permitted key.`);
  const text = textAt(body, 'body');
  if (text.length > 65_536) {
    const message = 'body is too long (maximum is 65536 characters)';
    return validationFailed({ resource: 'Issue', code: 'custom', field: 'body', message });
  }
  const title = textAt(body, 'title');
  pull.given = { ...pull.given, body: text, ...(title === '' ? {} : { title }) };
  return json(200, renderPull(store.world, pull));
}

async function listPullCommits(call: Call, pull: StoredPull): Promise<Reply> {
  const range = `${pull.diff.mergeBase}..${pull.headSha}`;
  const commits = await listCommits(call.store.world.gitDirectory, range);
  return page(call, commits.slice(0, 250));
}

async function compare({ store, names }: Call): Promise<Reply> {
  const { gitDirectory } = store.world;
  const ask = (...args: string[]) => gitFactText(gitDirectory, args).catch(() => null);
  const commits = [names['base'], names['head']].map((name) =>
    ask('rev-parse', '--verify', '--quiet', `${name}^{commit}`),
  );
  const [base = null, head = null] = await Promise.all(commits);
  if (base === null || head === null) return notFound();
  const sha = await ask('merge-base', base, head);
  if (sha === null) return notFound();
  const { files } = await readPullDiff(gitDirectory, { base, head });
  const behind = sha === head ? 'behind' : 'diverged';
  const status = base === head ? 'identical' : sha === base ? 'ahead' : behind;
  return json(200, { status, merge_base_commit: { sha }, files: files.slice(0, 300).map(renderFile) });
}

/** All pull requests that contain the commit, closed ones too. */
async function pullsOfCommit(call: Call): Promise<Reply> {
  const contains = await Promise.all(
    call.store.pulls.map(async (pull) => {
      const range = `${pull.diff.mergeBase}..${pull.headSha}`;
      const commits = await gitFactText(call.store.world.gitDirectory, ['rev-list', range]);
      return commits.split('\n').includes(call.names['sha'] ?? '');
    }),
  );
  const found = call.store.pulls.filter((_, index) => contains[index]);
  return page(call, found, (pull) => renderPull(call.store.world, pull));
}

/** The commits of a range, oldest first. */
async function listCommits(gitDirectory: string, range: string): Promise<readonly RestShape<'commit'>[]> {
  const format = '--format=%H%n%an%n%ae%n%ce%n%aI%n%B';
  const output = await gitFactText(gitDirectory, ['log', '-z', '--reverse', format, range]);
  const entries = output.split('\0').filter((entry) => entry !== '');
  return entries.map((entry) => {
    const [sha = '', name = '', email = '', committer = '', date = '', ...message] = entry.split('\n');
    return {
      sha,
      commit: {
        message: message.join('\n').trim(),
        author: { name, email, date },
        // GitHub signs what is made on its own pages and by its bots.
        verification: { verified: committer === 'noreply@github.com' },
      },
      author: accountOf(email),
      committer: accountOf(committer),
    };
  });
}

/** Who on GitHub owns an address; nobody owns the fixture's own. */
function accountOf(email: string): RestShape<'simple-user'> | null {
  if (email === 'noreply@github.com') return renderUser('web-flow');
  const login = /^(?:\d+\+)?(.+)@users\.noreply\.github\.com$/.exec(email)?.[1];
  return login === undefined ? null : renderUser(login);
}
