import type { GitHubOptions } from '../adapters/github/client.ts';
import type { Clock } from '../core/agent/agent.ts';
import { version } from './machine.ts';

/** How a GitHub server is reached, and by whom. */
export type GitHubConnection = {
  readonly token: string;
  /** Names the API of a GitHub Enterprise Server. */
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** Called with a sentence before each long wait. */
  readonly onWait: (text: string) => void;
};

/** The same for every client, whichever step of a run or person asks. */
export function gitHubOptions({ token, environment, clock, onWait }: GitHubConnection): GitHubOptions {
  return {
    token,
    apiUrl: environment['GITHUB_API_URL'] ?? 'https://api.github.com',
    graphqlUrl: environment['GITHUB_GRAPHQL_URL'] ?? 'https://api.github.com/graphql',
    userAgent: `postil/${version}`,
    onWait,
    clock,
  };
}
