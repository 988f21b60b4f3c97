import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allOf, connection, pullRequestPlace } from '../../src/adapters/github/connection.ts';
import { has, text } from '../../src/adapters/github/shapes.ts';
import { readJsonText } from '../../src/core/bounded.ts';
import type { Finding } from '../../src/core/findings/finding.ts';
import { placesIndex } from '../../src/core/findings/place.ts';
import { overlaps } from '../../src/core/findings/similarity.ts';
import { inEnglish } from '../../src/core/messages/languages.ts';
import { agentLine } from '../../src/core/report/agent-line.ts';
import { sanitiseMarkdown } from '../../src/core/report/sanitise.ts';
import { builtInRules } from '../../src/core/rules/built-in-rules.ts';
import { applyRules } from '../../src/core/rules/run-rules.ts';
import { parseSettings } from '../../src/core/settings/parse-settings.ts';
import { loadGuidance } from '../../src/core/team/guidance.ts';
import { agentWith, eventsOf, run, toolTexts } from '../core/agent/agent-with.ts';
import { changedFile, hunkOf, MemoryRepository } from '../fakes/memory-repository.ts';
import { call, ScriptedModel, usage } from '../fakes/scripted-model.ts';
import { allGrowing } from './all-at-once.ts';
import { counter, findingAt, many } from './changes.ts';

// Before, one of these inputs alone took minutes or gigabytes.
it('what a pull request or its model can multiply fits into 512 MiB, each hostile input at its full size', async () => {
  const script = fileURLToPath(new URL('./all-at-once.ts', import.meta.url));
  const options = ['--max-old-space-size=512', '--no-warnings'];
  const { stdout } = await promisify(execFile)(process.execPath, [...options, script]);
  expect(stdout.trim().split('\n')).toEqual(allGrowing.map(({ name }) => name));
});

describe('a cap that bites says so', () => {
  it('for comments that ask to be ignored: those beyond are not obeyed, and what they hid is raised', async () => {
    const line = 'debugger; // postil-ignore: debugger-statement ours';
    const lines = many(1_200, () => [`-${line.replace('debugger;', 'x;')}`, `+${line}`]).flat();
    const { findings, ignored, notes } = await applyRules({
      rules: builtInRules.filter(({ id }) => id === 'debugger-statement'),
      files: [changedFile('src/a.ts', { hunks: [hunkOf(lines)] })],
      nextId: counter(),
      readHead: async () => many(1_200, () => line).join('\n'),
      hide: (text) => text,
    });
    expect([ignored.length, findings.at(-1)?.alsoMore]).toEqual([1_000, 181]);
    expect(notes.map(inEnglish)).toEqual([
      'The change has more than 1,000 comments with postil-ignore: only the first 1,000 were read, and the others are not obeyed.',
    ]);
  });

  it('for guidance files: those nearer to the root are read', async () => {
    const files = Object.fromEntries(many(130, (index) => [`d${index}/AGENTS.md`, 'x'] as const));
    const changedPaths = many(130, (index) => `d${index}/deep/a.ts`);
    const repository = new MemoryRepository({ ...files, 'AGENTS.md': 'root' });
    const request = { names: ['AGENTS.md'], changedPaths, isDenied: () => null };
    const { files: read, problems } = await loadGuidance(repository, request);
    expect([read.length, read[0]?.path]).toEqual([100, 'AGENTS.md']);
    expect(problems).toEqual(['Only the first 100 of 131 guidance files above the changed files are read.']);
  });

  it('for tool calls of one answer: each that is taken has one answer, and the model learns about the others', async () => {
    const calls = many(40_000, (index) => call('read_file', { path: `f${index}` }));
    const model = new ScriptedModel(
      { toolCalls: calls, usage: usage(200, 20) },
      { toolCalls: [call('submit', { answer: 'done' })], usage: usage(300, 30) },
    );
    const agent = agentWith({ model });
    const { messages, submitted } = await run(agent);
    const asked = messages.flatMap((each) => (each.role === 'assistant' ? each.toolCalls.map(({ id }) => id) : []));
    const answered = messages.flatMap((each) => (each.role === 'tool' ? [each.callId] : []));
    expect([submitted, asked.length, answered]).toEqual([true, 129, asked]);
    expect(toolTexts(messages)[127]).toContain(
      '[you made 40,000 calls at once: only the first 128 were taken, the others were dropped and not run]',
    );
    expect(eventsOf(agent, 'calls-drop').map((event) => agentLine(event)?.text)).toEqual([
      'the answer made 40,000 tool calls: only the first 128 were taken, the others are dropped',
    ]);
  });

  it('for arguments nested too deep: they go back to the model, which tries again', async () => {
    const nested = { name: 'read_file', arguments: `{"path":${'['.repeat(10_000)}${']'.repeat(10_000)}}` };
    const submitted = { name: 'submit', arguments: `{"answer":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}` };
    const model = new ScriptedModel(
      { toolCalls: [nested] },
      { toolCalls: [submitted] },
      { toolCalls: [call('submit', { answer: 'done' })] },
    );
    const agent = agentWith({ model });
    const result = await run(agent);
    expect(result.stop).toEqual({ reason: 'submitted' });
    expect(toolTexts(result.messages).map((text) => text.split('\n')[0])).toEqual([
      'The arguments of read_file are not valid JSON (it is nested more than 200 levels deep). Send one JSON object.',
      'The arguments of submit are not valid JSON (it is nested more than 200 levels deep). Send one JSON object.',
      'Thank you.',
    ]);
    expect(agent.events.flatMap((event) => (event.type === 'run-end' ? [] : (agentLine(event) ?? [])))).not.toEqual([]);
  });

  it('for the items of a setting, and its value is not repeated whole', () => {
    const layer = { where: 'c.yml', trusted: false, values: { exclude: many(1_001, () => 'a') } };
    const told = `c.yml: 'exclude' is ${JSON.stringify(layer.values.exclude).slice(0, 200)}…; allowed: at most 1,000 items.`;
    expect(() => parseSettings([], [layer])).toThrow(told);
  });

  it('for pages of a list: a server that always has another is not followed for ever', async () => {
    const pageInfo = { hasNextPage: true, endCursor: 'next' };
    const comments = { totalCount: 100, pageInfo, nodes: many(100, () => ({ id: 'x' })) };
    const graphql = async () => ({ repository: { pullRequest: { comments } } });
    const place = pullRequestPlace({ graphql }, { owner: 'o', repository: 'r', number: 1 });
    const node = has({ id: text });
    const row = connection({ name: 'comments', select: 'id', node, from: (one) => one });
    await expect(allOf(place, row)).rejects.toThrow(
      'GitHub lists more than 10,000 of one kind, which is more than Postil reads.',
    );
  });
});

describe('the caps leave alone', () => {
  it('brackets inside the strings of JSON', () => {
    const text = JSON.stringify({ code: '['.repeat(10_000), quoted: `"\\${'{'.repeat(10_000)}` });
    expect(readJsonText(text)).toEqual({ ok: true, value: JSON.parse(text) });
  });

  it('code in a fence, whatever it is, unless HTML might hide that it is none', () => {
    const code = `\`\`\`ts\n${'a[b] * c_d | `e`\n'.repeat(400)}\`\`\``;
    const disguised = `<!--\n\`\`\`\n-->\n${'*_~['.repeat(2_000)}`;
    expect([sanitiseMarkdown(code), sanitiseMarkdown(disguised).slice(0, 20)]).toEqual([code, 'Shown as plain text,']);
  });

  it('every pair of findings that share a line, up to a hundred at one place', () => {
    const start = fc.integer({ min: 1, max: 121 });
    const place = fc
      .tuple(fc.constantFrom('a.ts', 'b.ts'), fc.constantFrom('LEFT', 'RIGHT'), start, fc.nat(70))
      .map(([path, side, startLine, lines]): Pick<Finding, 'path' | 'anchor'> => {
        if (lines === 70) return { path, anchor: { kind: 'file' } };
        return { path, anchor: { kind: 'lines', side, startLine, endLine: startLine + lines, quote: '' } };
      });
    fc.assert(
      fc.property(fc.array(place, { maxLength: 40 }), place, (all, one) => {
        const share = (other: typeof one) => other.path === one.path && overlaps(other.anchor, one.anchor);
        expect(placesIndex(all, (item) => item)(one).filter(share)).toEqual(all.filter(share));
      }),
    );
    const equal = many(150, (index) => findingAt(7, { id: `f${index}` }));
    expect(placesIndex(equal, (item) => item)(findingAt(7))).toHaveLength(100);
  });
});
