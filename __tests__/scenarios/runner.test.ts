import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../fakes/temporary-folder.ts';
import { whenFile } from '../fakes/when-file.ts';
import { inputVariables } from './runner/action-inputs.ts';
import { runNode } from './runner/child.ts';
import { parseCommandFile } from './runner/command-file.ts';
import { parseCommands } from './runner/commands.ts';
import { readableLog } from './runner/readable-log.ts';

describe('the runner of the scenarios', () => {
  it('reads commands at the start of a line, and old ones anywhere', () => {
    const log = [
      'see ::error::not a command',
      '  ::error file=a%2Cb.ts,line=3,endLine=2,title=Oh%3A::two%0Alines',
      'text ##[warning]forged',
      '::unknown::nothing',
    ].join('\n');
    expect(parseCommands(log).annotations).toEqual([
      { level: 'error', message: 'two\nlines', title: 'Oh:', file: 'a,b.ts', line: null, endLine: null },
      { level: 'warning', message: 'forged', title: null, file: null, line: null, endLine: null },
    ]);
  });

  it('keeps ten annotations a level', () => {
    const { annotations, droppedAnnotations } = parseCommands(`${'::error::e\n'.repeat(12)}::notice::n`);
    expect([annotations.length, droppedAnnotations]).toEqual([11, 2]);
  });

  it('obeys stop-commands until its token', () => {
    const { all } = parseCommands('::stop-commands::t\n::error::no\n::t::\n::error::yes');
    expect(all.map(({ data }) => data)).toEqual(['t', 'yes']);
  });

  it('reads outputs in both forms, and refuses a heredoc without an end', () => {
    expect(parseCommandFile('a=1=2\nb<<E\nx\n\ny=z\nE\n')).toEqual({ a: '1=2', b: 'x\n\ny=z' });
    expect(() => parseCommandFile('b<<E\nx\n')).toThrow('Matching delimiter not found');
  });

  it('gives a step its inputs with the defaults of action.yml', async () => {
    const inputs = await inputVariables({ profile: 'quick' }, { token: 'the-token', workflow: 'Review' });
    expect(inputs).toMatchObject({ 'INPUT_GITHUB-TOKEN': 'the-token', INPUT_PROFILE: 'quick', 'INPUT_FAIL-ON': '' });
    await expect(inputVariables({ profil: 'quick' }, { token: '', workflow: '' })).rejects.toThrow('no input profil');
  });

  it('starts a child with nothing inherited, and sends the signal when it is time', async () => {
    const directory = temporaryFolder();
    const script = `process.on("SIGINT", () => { console.log(Object.keys(process.env).join()); process.exit(7); });
      setInterval(() => {}, 50);
      require("node:fs").writeFileSync("ready", "ready");`;
    const run = await runNode({
      node: process.execPath,
      args: ['-e', script],
      directory,
      environment: { ONLY: 'this' },
      timeout: 100_000,
      signalAfter: { signal: 'SIGINT', when: whenFile(join(directory, 'ready'), 'ready') },
    });
    expect([run.code, run.log]).toEqual([7, 'ONLY']);
  });

  it('makes a log readable', () => {
    const log = `::add-mask::x\nread a.ts in 12 ms at ${'a'.repeat(40)}\nhttp://127.0.0.1:4711/v1 /tmp/postil-test-Ab1/out 1.5 s`;
    expect(readableLog({ log })).toBe('read a.ts in <time> at <sha>\nhttp://127.0.0.1:<port>/v1 <folder>/out <time>');
  });
});
