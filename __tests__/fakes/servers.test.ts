import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { readPullDiff } from './github-server/changed-files.ts';
import { startGitHub } from './github-server/start-github.ts';
import { type ModelScript, say } from './model-server/script.ts';
import { type FakeModel, startModel } from './model-server/start-model.ts';
import { type CheckoutOptions, checkOut, createWorld } from './world/create-world.ts';
import { type EventName, eventOf } from './world/event.ts';
import { git } from './world/git.ts';

let model: FakeModel | undefined;

afterEach(() => model?.close());

async function start(script: ModelScript): Promise<void> {
  model = await startModel(script);
}

async function post(path: string, body: unknown) {
  const response = await fetch(`${model?.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${model?.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

describe('embeddings of the fake model', () => {
  it('come as OpenAI gives them, in any order', async () => {
    await start({ embeddings: (text) => [text.length] });
    const { body } = await post('/embeddings', { model: 'm', input: ['a', 'bcd'] });
    expect(body.data).toEqual([
      { object: 'embedding', index: 1, embedding: [3] },
      { object: 'embedding', index: 0, embedding: [1] },
    ]);
    expect([body.usage, model?.embeddings]).toEqual([{ prompt_tokens: 2, total_tokens: 2 }, [['a', 'bcd']]]);
  });

  it.each([
    ['no model', { input: ['a'] }, 'you must provide a model parameter'],
    ['no input', { model: 'm', input: [] }, "'$.input' is invalid"],
    ['an empty text', { model: 'm', input: ['a', ''] }, "'$.input' is invalid"],
    ['too many texts', { model: 'm', input: Array(2_049).fill('a') }, "'$.input' is too long. Maximum length is 2048."],
    ['an unknown format', { model: 'm', input: ['a'], encoding_format: 'hex' }, "'hex' is not one of"],
    ['a field of conversations', { model: 'm', input: ['a'], temperature: 1 }, 'Unrecognized request argument'],
  ])('are refused for %s', async (_, body, words) => {
    await start({ embeddings: () => [1] });
    const refused = await post('/embeddings', body);
    expect([refused.status, refused.body.error.message]).toEqual([400, expect.stringContaining(words)]);
  });

  it('do not exist where none are scripted', async () => {
    await start([]);
    expect((await post('/embeddings', { model: 'm', input: ['a'] })).status).toBe(404);
  });
});

describe('model server images', () => {
  const said = async (path: string, body: object) => JSON.stringify((await post(path, { model: 'm', ...body })).body);
  const chat = (...messages: readonly object[]) => said('/chat/completions', { messages });
  const responses = (...input: readonly object[]) => said('/responses', { store: false, input });

  const jpeg = `data:image/jpeg;base64,${Buffer.from([0xff, 0xd8, 0xff]).toString('base64')}`;
  const picture = (url: string, detail = 'low') => ({ type: 'image_url', image_url: { url, detail } });
  const inputImage = (url: string) => ({ type: 'input_image', image_url: url, detail: 'low' });
  const calling = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: '1', type: 'function', function: { name: 'view_image', arguments: '{}' } }],
  };

  describe('images in requests to the fake model', () => {
    it('reach the script, whichever API they come by', async () => {
      await start([say('Seen.'), say('Seen.')]);
      await chat({ role: 'user', content: [{ type: 'text', text: 'See:' }, picture(jpeg)] });
      await responses({ role: 'user', content: [{ type: 'input_text', text: 'See:' }, inputImage(jpeg)] });
      const sent = { mediaType: 'image/jpeg', detail: 'low', bytes: Buffer.from([0xff, 0xd8, 0xff]) };
      expect(model?.requests.map(({ images }) => images)).toEqual([[sent], [sent]]);
    });

    it.each([
      ['of a system', [{ role: 'system', content: [picture(jpeg)] }], "allowed for messages with role 'user'"],
      [
        'in the answer to a call',
        [{ role: 'user', content: 'Hi' }, calling, { role: 'tool', tool_call_id: '1', content: [picture(jpeg)] }],
        "allowed for messages with role 'user'",
      ],
      [
        'to fetch from somewhere',
        [{ role: 'user', content: [picture('https://x.test/a.png')] }],
        'Expected a base64-encoded data URL',
      ],
      [
        'of a kind that is not taken',
        [{ role: 'user', content: [picture('data:image/svg+xml;base64,AAAA')] }],
        'Expected a base64-encoded data URL',
      ],
      [
        'that are not what they say',
        [{ role: 'user', content: [picture('data:image/png;base64,AAAA')] }],
        'unsupported image',
      ],
      ['with a detail of their own', [{ role: 'user', content: [picture(jpeg, 'lowest')] }], "'low', 'high'"],
    ])('%s are refused over Chat Completions', async (_what, messages, words) => {
      await start([say('Seen.')]);
      expect(await chat(...messages)).toContain(words);
      expect(model?.complaints).toHaveLength(1);
    });

    it.each([
      ['of a system', { role: 'system', content: [inputImage(jpeg)] }, "Supported values are: 'input_text'"],
      [
        'to fetch from somewhere',
        { role: 'user', content: [inputImage('https://x.test/a.png')] },
        'Expected a base64-encoded data URL',
      ],
    ])('%s are refused over Responses', async (_what, item, words) => {
      await start([say('Seen.')]);
      expect(await responses(item)).toContain(words);
    });
  });
});

const body = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n');

const world = createWorld({
  base: {
    'kept.txt': 'kept\n',
    'old name.txt': body,
    'gone.txt': 'gone\n',
    'kind.txt': 'text\n',
    module: { submodule: 'a'.repeat(40) },
  },
  head: {
    'old name.txt': null,
    'ñew "name".txt': body.replace('line 9', 'line nine'),
    'gone.txt': null,
    'kind.txt': { symlink: 'kept.txt' },
    'picture.png': Buffer.from([137, 80, 78, 71, 0, 1, 2, 0]),
    'tool.sh': { executable: '#!/bin/sh\n' },
    module: { submodule: 'b'.repeat(40) },
  },
});

describe('a world', () => {
  it('has the files of a true three-dot diff, whatever their kind', async () => {
    const { mergeBase, files } = await readPullDiff(world.remote.directory, world.commits);
    expect(mergeBase).toBe(world.commits.mergeBase);
    expect(files.map((file) => [file.filename, file.status, file.hunks.length, file.previousFilename])).toEqual([
      ['gone.txt', 'removed', 1, null],
      ['kind.txt', 'changed', 2, null],
      ['module', 'modified', 1, null],
      ['picture.png', 'added', 0, null],
      ['tool.sh', 'added', 1, null],
      ['ñew "name".txt', 'renamed', 1, 'old name.txt'],
    ]);
    expect(files[2]?.patch).toBe(
      `@@ -1 +1 @@\n-Subproject commit ${'a'.repeat(40)}\n+Subproject commit ${'b'.repeat(40)}`,
    );
  });

  it.each<[string, CheckoutOptions, string]>([
    ['the merge commit alone', {}, '1'],
    ['all of the head', { ref: 'refs/pull/7/head', depth: 0 }, '2'],
    ['trees without files', { depth: 0, filter: 'blob:none' }, '4'],
  ])('is checked out as %s', async (_, options, commits) => {
    const github = await startGitHub(world.github);
    onTestFinished(() => github.close());
    const folder = await checkOut(github, options);
    expect([await git(folder, ['rev-list', '--count', 'HEAD']), existsSync(join(folder, 'kept.txt'))]).toEqual([
      commits,
      true,
    ]);
  });

  it('leaves the token in the checkout unless it is asked not to', async () => {
    const github = await startGitHub(world.github);
    onTestFinished(() => github.close());
    const [kept, removed] = await Promise.all([checkOut(github), checkOut(github, { persistCredentials: false })]);
    const [one, other] = [kept, removed].map((folder) => readFileSync(join(folder, '.git/config'), 'utf8'));
    expect([one?.includes('AUTHORIZATION: basic'), other?.includes('AUTHORIZATION')]).toEqual([true, false]);
  });

  it.runIf(process.getuid?.() === 0)('can be given to another user', async () => {
    const github = await startGitHub(world.github);
    onTestFinished(() => github.close());
    expect(statSync(join(await checkOut(github, { owner: 12_345 }), 'kept.txt')).uid).toBe(12_345);
  });

  it.each<[EventName, string, string]>([
    ['pull_request', 'refs/pull/7/merge', world.commits.merge],
    ['pull_request_target', 'refs/heads/main', world.commits.base],
    ['workflow_run', 'refs/heads/main', world.commits.base],
    ['push', 'refs/heads/main', world.commits.base],
  ])('tells of itself in a %s event', (name, ref, sha) => {
    expect(eventOf(world, name)).toMatchObject({
      name,
      ref,
      sha,
      payload: { repository: { full_name: 'octo/spoon' } },
    });
  });

  it('names no pull request in the workflow run of a fork', () => {
    const fork = createWorld({ base: { a: 'a\n' }, head: { a: 'b\n' }, fork: true });
    expect(eventOf(fork, 'workflow_run').payload).toMatchObject({
      workflow_run: {
        head_sha: fork.commits.head,
        head_repository: { full_name: 'contributor/spoon' },
        pull_requests: [],
      },
    });
  });
});
