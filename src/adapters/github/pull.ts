import type { Permission } from '../../core/history/asked.ts';
import type { Message } from '../../core/messages/message.ts';
import type { ChangedFile, FileStatus, Hunk } from '../../core/pull-request/changed-file.ts';
import { findStack, type OpenPull } from '../../core/pull-request/find-stack.ts';
import { parsePatchText } from '../../core/pull-request/parse-diff.ts';
import type {
  Changes,
  CommitMessage,
  CommitReference,
  PullRequest,
  Stack,
} from '../../core/pull-request/pull-request.ts';
import { type Infer, listOf, parserFor } from '../../core/schema.ts';
import { fullHash } from '../../core/text.ts';
import { explained, type GitHub, inPull, inRepository, type RepositoryName } from './client.ts';
import { answerParser, branch, has, integer, pullSchema, text, textOrNull } from './shapes.ts';

export type PullRequestReference = RepositoryName & {
  readonly number: number;
  /** Such as https://github.com. */
  readonly serverUrl: string;
};

/** One pull request on GitHub, and the clients that read and write it. */
export type GitHubSession = {
  readonly github: GitHub;
  /** Creates a client for the last writes of a cancelled run: each is sent at once, or not at all. */
  readonly lastWords: () => GitHub;
  readonly reference: PullRequestReference;
};

/** What is read of the REST API's pull request. */
export type Pull = Infer<typeof pullSchema>;

const parsePull = answerParser(pullSchema);

/** @throws what Octokit throws, and an Error when the answer is none. */
export async function readPull(github: GitHub, subject: RepositoryName & { readonly number: number }): Promise<Pull> {
  return parsePull((await github.rest.pulls.get(inPull(subject))).data);
}

/** @throws UserError that says what to check or grant. */
export function getPull(github: GitHub, reference: PullRequestReference): Promise<Pull> {
  const subject = `pull request #${reference.number} in ${reference.owner}/${reference.repository}`;
  return explained(readPull(github, reference), { subject, permission: 'pull-requests: read' });
}

/** How many files GitHub counts as changed by this head; null when it does not say, 0 when it is the head no more. @throws UserError */
export async function countChangedFiles(
  github: GitHub,
  { reference, head }: { reference: PullRequestReference; head: string },
): Promise<number | null> {
  const pull = await getPull(github, reference);
  return pull.head.sha === head ? (pull.changed_files ?? null) : 0;
}

/**
 * The stack below a pull request; null where there is none. A stack of GitHub's own stands in the pull request itself (in preview,
 * https://docs.github.com/en/pull-requests/reference/stacked-pull-requests-apis-and-webhooks); one made by hand shows in the branches.
 *
 * @throws UserError when GitHub cannot be asked: nobody knows then whether its base is merged code
 */
export function readStack(github: GitHub, repository: RepositoryName, { base, stack }: Pull): Promise<Stack | null> {
  return findStack({
    base: { ref: base.ref ?? base.sha, sha: base.sha },
    defaultBranch: base.repo?.default_branch ?? null,
    declared: declaredBase(stack),
    pullsFrom: (name) =>
      explained(listPullsFrom(github, repository, name), {
        subject: `list of open pull requests from ${name}`,
        permission: 'pull-requests: read',
      }),
    tipOf: (name) =>
      explained(readTip(github, repository, name), { subject: `branch ${name}`, permission: 'contents: read' }),
  });
}

const parseStack = parserFor(has({ base: has({ ref: text, sha: { ...text, pattern: fullHash.source } }) }), {
  firstProblem: true,
});

function declaredBase(stack: unknown): CommitReference | null {
  const parsed = parseStack(stack);
  return parsed.ok ? { ref: parsed.value.base.ref, sha: parsed.value.base.sha } : null;
}

const layer = has({ ref: text }, { repo: branch.properties.repo });
const parseLayers = answerParser(listOf(has({ number: integer, head: layer, base: layer }, { title: textOrNull })));

async function listPullsFrom(github: GitHub, repository: RepositoryName, name: string): Promise<readonly OpenPull[]> {
  const head = `${repository.owner}:${name}`;
  const answer = await github.rest.pulls.list({ ...inRepository(repository), state: 'open', head, per_page: 100 });
  // A fork of the same owner may have a branch of this name, too.
  const own = parseLayers(answer.data).filter(
    ({ head: from, base }) => from.ref === name && from.repo?.full_name === base.repo?.full_name,
  );
  return own.map(({ number, title, base }) => ({ number, title: title ?? '', base: base.ref }));
}

async function readTip(github: GitHub, repository: RepositoryName, name: string): Promise<string> {
  return (await github.rest.git.getRef({ ...inRepository(repository), ref: `heads/${name}` })).data.object.sha;
}

/** The commits of a pull request, oldest first. GitHub lists 250 at most. */
export async function readCommits(github: GitHub, reference: PullRequestReference): Promise<readonly CommitMessage[]> {
  const asked = { ...inPull(reference), per_page: 100 };
  const commits = await github.paginate(github.rest.pulls.listCommits, asked);
  return commits.map(({ sha, commit, author, committer }) => ({
    sha,
    message: commit.message,
    author: author?.login ?? commit.author?.name ?? 'unknown',
    date: commit.author?.date ?? commit.committer?.date ?? '',
    identity: {
      author: author?.login ?? null,
      committer: committer?.login ?? null,
      verified: commit.verification?.verified ?? null,
    },
  }));
}

/** Whether this person may write to the repository; null when that cannot be found out. */
export async function mayWrite(
  github: GitHub,
  of: { repository: RepositoryName; login: string },
): Promise<boolean | null> {
  const permission = await permissionOf(github, of);
  return permission === null ? null : permission === 'admin' || permission === 'write';
}

/** What this person may do in the repository; null when that cannot be found out. */
export async function permissionOf(
  github: GitHub,
  { repository, login }: { repository: RepositoryName; login: string },
): Promise<Permission> {
  // What became of a deleted account is called so.
  if (login === 'ghost') return null;
  try {
    const asked = { ...inRepository(repository), username: login };
    const answer = await github.rest.repos.getCollaboratorPermissionLevel(asked);
    // `maintain` and own roles come as the nearest of these.
    const permission: string | null = answer.data.permission;
    return permissions.find((one) => one === permission) ?? null;
  } catch {
    return null;
  }
}

const permissions = ['none', 'read', 'write', 'admin'] as const;

/** One file as the files API lists it. */
type DiffEntry = Awaited<ReturnType<GitHub['rest']['pulls']['listFiles']>>['data'][number];

function distinct(entries: readonly DiffEntry[]): readonly DiffEntry[] {
  return [...new Map(entries.map((entry) => [entry.filename, entry])).values()];
}

/**
 * What the API tells of one file. It knows no modes, no symbolic links and no attributes; it leaves the patch out of
 * binary and of large files.
 */
function changedFileFrom(entry: DiffEntry): ChangedFile {
  const hunks = parsePatchText(entry.patch ?? '');
  return {
    path: entry.filename,
    oldPath: entry.previous_filename ?? entry.filename,
    status: statuses[entry.status] ?? 'modified',
    kind: kindOf(entry, hunks),
    additions: entry.additions ?? 0,
    deletions: entry.deletions ?? 0,
    hunks,
    modeChange: null,
    generated: false,
    incomplete: whyIncomplete(entry, hunks),
  };
}

const statuses: { readonly [status in DiffEntry['status']]: FileStatus } = {
  added: 'added',
  removed: 'deleted',
  modified: 'modified',
  renamed: 'renamed',
  copied: 'copied',
  changed: 'type-changed',
  unchanged: 'modified',
};

// git's hash of no content at all.
const emptyBlob = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';

function kindOf(entry: DiffEntry, hunks: readonly Hunk[]): ChangedFile['kind'] {
  if (hasNoLines(entry)) return 'binary';
  const changed = hunks.flatMap((hunk) => hunk.lines).filter((line) => /^[+-]/.test(line));
  const submodule = changed.length > 0 && changed.every((line) => /^[+-]Subproject commit [0-9a-f]{40,64}/.test(line));
  return submodule ? 'submodule' : 'text';
}

function whyIncomplete(entry: DiffEntry, hunks: readonly Hunk[]): Message | null {
  if (hasNoLines(entry)) return { code: 'diff.no-lines' };
  if (entry.patch === undefined && entry.changes > 0) return { code: 'diff.no-patch' };
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const additions = lines.filter((line) => line.startsWith('+')).length;
  const deletions = lines.filter((line) => line.startsWith('-')).length;
  if (additions === entry.additions && deletions === entry.deletions) return null;
  return { code: 'diff.fewer-patch-lines' };
}

function hasNoLines(entry: DiffEntry): boolean {
  const moved = entry.status === 'renamed' || entry.status === 'copied';
  return entry.patch === undefined && entry.changes === 0 && !moved && entry.sha !== emptyBlob;
}

const pageSize = 100;
// GitHub's list ends there, whatever the size of the pull request.
const listedFiles = 3000;

/** The diff by the files API: for runs where git cannot get the commits. Says what GitHub left out. */
export async function listChanges(
  github: GitHub,
  { reference, pullRequest }: { reference: PullRequestReference; pullRequest: PullRequest },
): Promise<Changes> {
  const [pull, listed] = await Promise.all([getPull(github, reference), listEntries(github, reference)]);
  const entries = distinct(listed);
  return {
    files: entries.map(changedFileFrom),
    missing: [
      ...unlisted({ listed: entries.length, changed: pull.changed_files ?? null }),
      ...movedHead({ reviewed: pullRequest.head.sha, now: pull.head.sha }),
    ],
  };
}

/** Every page until one is not full: how many there are is for the count to confirm. */
async function listEntries(github: GitHub, reference: PullRequestReference): Promise<readonly DiffEntry[]> {
  const entries: DiffEntry[] = [];
  for (let page = 1; entries.length === (page - 1) * pageSize && entries.length < listedFiles; page += 1) {
    entries.push(...(await listPage(github, { reference, page })));
  }
  return entries;
}

async function listPage(
  github: GitHub,
  { reference, page }: { reference: PullRequestReference; page: number },
): Promise<readonly DiffEntry[]> {
  const subject = `list of changed files of pull request #${reference.number}`;
  const asking = github.rest.pulls.listFiles({ ...inPull(reference), per_page: pageSize, page });
  return (await explained(asking, { subject, permission: 'pull-requests: read' })).data;
}

function unlisted({ listed, changed }: { listed: number; changed: number | null }): readonly Message[] {
  if (changed === null) return [{ code: 'missing.count-unknown' }];
  if (listed >= changed) return [];
  return [{ code: 'missing.files', listed, changed, left: changed - listed }];
}

function movedHead({ reviewed, now }: { reviewed: string; now: string }): readonly Message[] {
  if (reviewed === now) return [];
  return [{ code: 'missing.head-moved', now: now.slice(0, 12) }];
}
