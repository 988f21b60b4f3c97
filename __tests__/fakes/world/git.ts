import { spawn } from 'node:child_process';
import { cleanGitEnvironment } from '../git-fixture.ts';

export type GitRun = {
  readonly directory: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
};

/** Output of a git command in a directory, without its last newline. Throws with git's own words when it fails. */
export async function git(directory: string, args: readonly string[]): Promise<string> {
  return (await gitBytes({ directory, args })).toString('utf8').replace(/\n$/, '');
}

const facts = new Map<string, Promise<Buffer>>();

/**
 * What git says of commits and objects that are named by their full hashes. It never changes, so it is asked once; what is
 * named in another way (`main`) or fails is asked again.
 */
export function gitFact(run: GitRun): Promise<Buffer> {
  if (!run.args.some((arg) => /^[0-9a-f]{40}\b/.test(arg))) return gitBytes(run);
  // In every repository the same: worlds of one content have the same hashes.
  const key = JSON.stringify([run.args, run.environment]);
  const known = facts.get(key);
  if (known !== undefined) return known;
  const asked = gitBytes(run);
  facts.set(key, asked);
  asked.catch(() => facts.delete(key));
  return asked;
}

/** As `gitFact`, as text without its last newline. */
export async function gitFactText(directory: string, args: readonly string[]): Promise<string> {
  return (await gitFact({ directory, args })).toString('utf8').replace(/\n$/, '');
}

export async function gitBytes(run: GitRun): Promise<Buffer> {
  const child = spawn('git', ['-c', 'safe.directory=*', '-c', 'protocol.file.allow=always', ...run.args], {
    cwd: run.directory,
    env: { ...cleanGitEnvironment, ...run.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [output, complaint, code] = await Promise.all([
    collect(child.stdout),
    collect(child.stderr),
    new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve)),
  ]);
  if (code !== 0) throw new Error(`git ${run.args.join(' ')} ended with ${code}: ${complaint.toString('utf8')}`);
  return output;
}

async function collect(stream: NodeJS.ReadableStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}
