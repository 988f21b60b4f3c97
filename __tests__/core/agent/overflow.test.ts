import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/core/agent/message.ts';
import { ModelError } from '../../../src/core/agent/model.ts';
import { shrinkHistory } from '../../../src/core/agent/shrink.ts';
import { call, ScriptedModel } from '../../fakes/scripted-model.ts';
import { agentWith, opening, readFile, run, toolTexts } from './agent-with.ts';

const overflow = () => new ModelError('context-overflow', 'Prompt is too long');
const read = (path: string) => ({ toolCalls: [call('read_file', { path })] });
const tools = [readFile(async (path) => path.repeat(400))];

describe('a context that overflows', () => {
  it('is shrunk once and tried again', async () => {
    const submitted = { toolCalls: [call('submit', { answer: 'x' })] };
    const model = new ScriptedModel(read('a.ts'), read('b.ts'), read('c.ts'), overflow(), submitted);
    const result = await run(agentWith({ model, tools }));
    expect(result.submitted).toBe(true);
    const [first, second, third] = toolTexts(result.messages);
    expect([first, second]).toEqual([
      '[result of read_file removed to fit the context; call it again if needed]',
      '[result of read_file removed to fit the context; call it again if needed]',
    ]);
    expect(third).toMatch(/^c\.tsc\.ts/);
  });

  it('ends the run the second time', async () => {
    const model = new ScriptedModel(read('a.ts'), read('b.ts'), overflow(), read('c.ts'), overflow());
    const result = await run(agentWith({ model, tools }));
    expect(result.stop).toEqual({ reason: 'context-overflow' });
  });

  it('ends the run at once when there is nothing to take out', async () => {
    const result = await run(agentWith({ model: new ScriptedModel(overflow()), tools }));
    expect(result).toMatchObject({ stop: { reason: 'context-overflow' }, metrics: { modelCalls: 1 } });
  });
});

describe('a history that is shrunk', () => {
  const turn = (id: string, text: string): readonly Message[] => [
    { role: 'assistant', text: '', toolCalls: [{ id, name: 'read_file', arguments: '{}' }], raw: null },
    { role: 'tool', callId: id, name: 'read_file', text },
  ];
  const length = (message: Message) => message.text.length;

  it('loses its oldest results first, and no more than it takes', () => {
    const long = 'x'.repeat(1_000);
    const messages = [...opening, ...['1', '2', '3', '4', '5', '6'].flatMap((id) => turn(id, long))];
    const shrunk = shrinkHistory(messages, length) ?? [];
    expect(toolTexts(shrunk).map((text) => text === long)).toEqual([false, false, false, false, true, true]);
    expect(shrunk.filter((message) => message.role !== 'tool')).toEqual(
      messages.filter((message) => message.role !== 'tool'),
    );
  });

  it('keeps short results and its last turn', () => {
    const messages = [...opening, ...turn('1', 'short'), ...turn('2', 'x'.repeat(9_000))];
    expect(shrinkHistory(messages, length)).toBeNull();
  });
});
