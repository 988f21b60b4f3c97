import { describe, expect, it } from 'vitest';
import { calls, submit } from '../fakes/model-server/script.ts';
import { getStreamWorld } from '../fakes/world/get-stream-world.ts';
import { first, second } from './follow-up-world.ts';
import { review } from './review.ts';

/** 8.0.1 gives `undefined` to `addNewChunk` where a chunk cannot be cut. */
const finding = {
  path: 'source/contents.js',
  quote: '\tconst truncatedChunk = truncateChunk(convertedChunk, maxBuffer - state.length);',
  title: 'What is left of a chunk is computed before the limit is known',
} as const;

const team = {
  'AGENTS.md': '# Reviewing\nEvery method object has the same seven members.\n',
  'docs/limits.md':
    '# Limits\n\n`maxBuffer` counts characters of strings, and bytes of buffers. A chunk that crosses it is cut.\n',
  '.postil/memory.md': '- We accept that `resizeArrayBufferSlow` doubles its memory.\n',
  '.postil/rules/no-typed-views.md':
    '---\nid: no-typed-views\ntitle: A view is made of a buffer that may be resized\nseverity: info\ncategory: maintainability\nlanguages: [javascript]\npattern: "new Uint8Array\\\\(newContents\\\\)"\n---\nKeep views short-lived.\n',
  '.postil/config.yml':
    'path-instructions:\n  - "source/array*.js: Look at what happens without `ArrayBuffer.resize`."\n',
};

describe('on a real change of a real project', () => {
  it('the prompt holds the guidance, the diff and the code around it that the diff does not show', async () => {
    const { model, run } = await review({ world: getStreamWorld({ base: team }), model: () => submit([]) });
    const [request] = model.requests;
    expect([model.requests.length, run.outputs['outcome']]).toEqual([1, 'findings']);
    for (const words of [
      'Every method object has the same seven members.',
      'We accept that `resizeArrayBufferSlow` doubles its memory.',
      'Look at what happens without `ArrayBuffer.resize`.',
      'Keep views short-lived.',
      '## source/utils.js modified',
      // What the diff uses and does not show: its definition, and who uses what it changes.
      'source/contents.js: defines MaxBufferError\n  95 | export class MaxBufferError extends Error {',
      'source/string.js: uses useTextDecoder\n  25 | \t\tbuffer: useTextDecoder,',
    ]) {
      expect(request?.prompt).toContain(words);
    }
    expect(run.summary).toContain('Guidance used:');
  });

  it('the tools find symbols, documents, blame and log in the history as it was', async () => {
    const { model } = await review({
      world: getStreamWorld({ base: team }),
      model: [
        calls(
          { name: 'find_symbol', arguments: { name: 'throwObjectStream' } },
          { name: 'search_knowledge', arguments: { query: 'does maxBuffer count bytes or characters' } },
          { name: 'get_git_log', arguments: { path: 'source/contents.js', count: 5 } },
          { name: 'get_git_blame', arguments: { path: 'source/string.js', start_line: 1, end_line: 3 } },
          { name: 'get_file_structure', arguments: { path: 'source/contents.js' } },
        ),
        submit([]),
      ],
    });
    const answers = model.requests[1]?.messages.filter(({ role }) => role === 'tool').map(({ text }) => text) ?? [];
    const [symbol, knowledge, log, blame, outline] = answers;
    expect(symbol).toMatch(/source\/utils\.js/);
    expect(symbol).toMatch(/source\/array-buffer\.js/);
    expect(knowledge).toMatch(/docs\/limits\.md[\s\S]*bytes of buffers/);
    expect(log).toMatch(/Change the files[\s\S]*Start/);
    expect(blame).toMatch(/^1 \w+ \S+ Ada Lovelace: Start$[\s\S]*^2 \w+ \S+ Ada Lovelace: Change the files$/m);
    expect(outline).toMatch(/getStreamContents[\s\S]*appendFinalChunk/);
  });

  it('files that import each other are reviewed together', async () => {
    const { run } = await review({
      world: getStreamWorld(),
      inputs: { 'files-per-batch': '3' },
      model: () => submit([]),
    });
    const plan = /^1 source: 3 files.*: (source.*)$/m.exec(run.log)?.[1];
    expect(plan).toBe('source/array-buffer.js, source/array.js, source/contents.js');
  });

  it('a rule reports without a model, on added lines alone', async () => {
    const { github, run } = await review({ world: getStreamWorld({ base: team }), model: null });
    expect(github.comments().map(({ path, line, body }) => [path, line, body.includes('A view is made')])).toEqual([
      ['source/array-buffer.js', 22, true],
    ]);
    expect(run.outputs['outcome']).toBe('partial');
  });

  it('a follow-up shows the lines that the diff leaves out', async () => {
    const request = { file: 'source/utils.js', line_start: 1, line_end: 11, reason: 'What does noop give back?' };
    const { model, github } = await review({
      world: getStreamWorld(),
      inputs: { profile: 'follow-up' },
      model: [
        first(request, [finding]),
        second({ dismissed: [{ finding: 1, reason: '`noop` gives undefined, which is checked.' }] }),
      ],
    });
    expect([model.requests.length, model.complaints, github.comments()]).toEqual([2, [], []]);
    expect(model.requests[1]?.prompt).toMatch(/1 \| export const identity = value => value;/);
  });
});
