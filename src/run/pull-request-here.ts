import { originUrl } from '../adapters/git/bare-repository.ts';
import type { RepositoryName } from '../adapters/github/client.ts';
import type { PullRequestReference } from '../adapters/github/pull.ts';
import { gitHubPullRequestSource } from '../adapters/github/pull-request.ts';
import { UserError } from '../core/errors.ts';
import type { PullRequest } from '../core/pull-request/pull-request.ts';
import { repositoryOfRemote, serverOfRemote } from '../core/repository/path.ts';
import { openSession } from './github-session.ts';
import type { LocalRun } from './local-run.ts';
import type { Tokens } from './machine.ts';
import { fetchMillisecondsOf } from './open-pull-request.ts';
import { prefetchGit, type SourceReader } from './source-reader.ts';

type OpenedPullRequest = {
  readonly pullRequest: PullRequest;
  readonly code: SourceReader;
  /** What is reviewed, in a line. */
  readonly reviewing: string;
};

/**
 * A pull request on GitHub, read with the token of a person. `named` is its number in the repository that the folder was cloned from, or its
 * address. The clone lends its objects; what it lacks is fetched.
 *
 * @throws UserError with what to set or check.
 */
export async function openPullRequestHere(local: LocalRun, named: string): Promise<OpenedPullRequest> {
  const { inputs, output, run } = local;
  const { directory } = local.command;
  const { report, temporaryFolder } = output;
  const { signal } = run;
  const reference = await referenceOf(named, local);
  const token = tokenFor(reference.serverUrl, { environment: local.environment, tokens: inputs.tokens });
  const environment = {
    ...local.environment,
    ...apiOf(reference.serverUrl, local.environment),
    GITHUB_WORKSPACE: directory,
  };
  const { timeoutMinutes } = inputs.preview;
  const session = openSession({ token, environment, run, timeoutMinutes, report, overrides: {} }, reference);
  const fetchMilliseconds = fetchMillisecondsOf(run, timeoutMinutes);
  const git = prefetchGit({ reference, token, environment, temporaryFolder, signal, fetchMilliseconds });
  const source = gitHubPullRequestSource(session.github, reference, { report, onCommits: git.start });
  try {
    const read = await source.read();
    const code = await git.openReader({ session, source, pullRequest: read, report, signal });
    const commit = read.head.sha.slice(0, 7);
    const reviewing = `Reviewing ${read.repository}#${read.number} at ${commit}. Nothing is posted, and files here are no part of it.`;
    // Whoever asks wants the review, also of one that is closed.
    return { pullRequest: { ...read, state: 'open' }, code, reviewing };
  } catch (error) {
    await git.stop();
    throw error;
  }
}

const gitHubServer = 'https://github.com';

/** @throws UserError when it is not known in which repository */
async function referenceOf(
  named: string,
  { command: { directory }, environment }: LocalRun,
): Promise<PullRequestReference> {
  const [, server = '', owner = '', repository = '', number = ''] = address.exec(named) ?? [];
  if (server !== '') return { serverUrl: server.toLowerCase(), owner, repository, number: Number(number) };
  const hint = `Give the address of the pull request: --pull-request ${gitHubServer}/owner/name/pull/${named}`;
  return { ...(await repositoryHere(directory, { environment, hint })), number: Number(named) };
}

type ServedRepository = RepositoryName & { readonly serverUrl: string };

/** The repository that the folder was cloned from. @throws UserError with this hint when it does not say */
export async function repositoryHere(
  directory: string,
  { environment, hint }: { environment: NodeJS.ProcessEnv; hint: string },
): Promise<ServedRepository> {
  const usual = environment['GITHUB_SERVER_URL'] || gitHubServer;
  const origin = (await originUrl(directory, environment)) ?? '';
  const serverUrl = repositoryOfRemote(origin, usual) === null ? serverOfRemote(origin) : usual;
  const name = serverUrl === null ? null : repositoryOfRemote(origin, serverUrl);
  if (serverUrl !== null && name !== null) {
    const [owner = '', repository = ''] = name.split('/');
    return { serverUrl, owner, repository };
  }
  // The address is not shown: it may hold a password.
  const why =
    origin === '' ? 'has no remote `origin`' : 'has a remote `origin` that is no repository of a GitHub server';
  throw new UserError(`Which repository? The folder ${directory} ${why}.`, { hint });
}

const address = /^(https?:\/\/[^/?#@\s]+)\/([\w.-]+)\/([\w.-]+)\/pull\/(\d+)(?:[/?#].*)?$/s;

/** GITHUB_TOKEN is for GitHub and for the server that the environment names: an address must not choose who else gets it. @throws UserError */
export function tokenFor(
  serverUrl: string,
  { environment, tokens }: { environment: NodeJS.ProcessEnv; tokens: Tokens },
): string {
  const { hostname } = new URL(serverUrl);
  const isGitHub = serverUrl === gitHubServer || (serverUrl.startsWith('https:') && hostname.endsWith('.ghe.com'));
  const isNamed = serverUrl === environment['GITHUB_SERVER_URL'];
  const [token, set] =
    isGitHub || isNamed
      ? [tokens.gitHub, 'Set GITHUB_TOKEN, such as export GITHUB_TOKEN=$(gh auth token).']
      : [
          tokens.enterprise,
          `Set GH_ENTERPRISE_TOKEN; or GITHUB_SERVER_URL=${serverUrl} where GITHUB_TOKEN is one of this server.`,
        ];
  if (token !== '') return token;
  throw new UserError(`There is no token for ${hostname}.`, { hint: `${set} It only reads.` });
}

/** Where the API of a server is. https://docs.github.com/en/enterprise-cloud@latest/rest/using-the-rest-api/getting-started-with-the-rest-api */
export function apiOf(serverUrl: string, environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isNamed = serverUrl === (environment['GITHUB_SERVER_URL'] ?? gitHubServer);
  if (isNamed && environment['GITHUB_API_URL'] !== undefined) return {};
  const { protocol, host } = new URL(serverUrl);
  if (host === 'github.com' || host.endsWith('.ghe.com')) {
    return { GITHUB_API_URL: `${protocol}//api.${host}`, GITHUB_GRAPHQL_URL: `${protocol}//api.${host}/graphql` };
  }
  return { GITHUB_API_URL: `${serverUrl}/api/v3`, GITHUB_GRAPHQL_URL: `${serverUrl}/api/graphql` };
}
