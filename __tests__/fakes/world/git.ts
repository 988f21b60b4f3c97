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
