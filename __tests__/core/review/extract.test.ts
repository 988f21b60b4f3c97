import { describe, expect, it } from 'vitest';
import type { StopReason } from '../../../src/core/agent/event.ts';
import { ModelError } from '../../../src/core/agent/model.ts';
import { type AgentRun, runAgent } from '../../../src/core/agent/run-agent.ts';
import { submitReview } from '../../../src/core/findings/submit-review.ts';
import { extract } from '../../../src/core/review/extract.ts';
import { call, ScriptedModel, type ScriptedStep } from '../../fakes/scripted-model.ts';
import { agentWith, eventsOf, opening, quarter } from '../agent/agent-with.ts';
import { changedFile, hunk, sources, submitted } from '../findings/make.ts';

const files = [changedFile('src/a.ts', { hunks: [hunk({ old: 1, new: 1 }, '-one', '+two')] })];
const freeText: ScriptedStep = { text: 'The value is two and should be one.' };
const right: ScriptedStep = { toolCalls: [call('submit_review', review('two'))] };
const invented: ScriptedStep = { toolCalls: [call('submit_review', review('seven'))] };
const malformed: ScriptedStep = { toolCalls: [{ name: 'submit_review', arguments: '{"files_review": [' }] };

describe('a review in free text', () => {
  it.each<[string, ScriptedStep]>([
    ['the same text again', freeText],
    ['an empty answer', {}],
    ['a call that is no JSON', malformed],
    ['a quote that is not in the file', invented],
    ['an announcement', { text: 'Let me check the file first.' }],
  ])('is asked for again after %s', async (_, second) => {
    const { agent, run, findings } = await extracted(freeText, second, right);
    expect([run.submitted, run.stop, findings]).toEqual([true, { reason: 'submitted' }, ['src/a.ts:1']]);
    expect(eventsOf(agent, 'extraction-start').map(({ attempt }) => attempt)).toEqual([1, 2]);
  });

  it('is given up after three attempts, and its first words are kept', async () => {
    const { agent, run, findings } = await extracted(freeText, { text: 'Hm.' }, malformed, { text: 'I said it.' });
    expect([run.submitted, run.stop, run.text]).toEqual([false, { reason: 'answered' }, freeText.text]);
    expect([eventsOf(agent, 'extraction-start').length, findings]).toEqual([3, []]);
  });

  it('is not asked for again after an error that stays', async () => {
    const quota = new ModelError('quota', 'No quota left.', { hint: 'Add credit.' });
    const { agent, run } = await extracted(freeText, quota);
    expect([run.stop.reason, run.text]).toEqual(['model-failed', freeText.text]);
    expect(eventsOf(agent, 'extraction-start')).toHaveLength(1);
  });
});

describe('a text that was cut', () => {
  const cut: ScriptedStep = { ...freeText, end: 'length' };

  it('stays said when the extraction delivers', async () => {
    const { run, findings } = await extracted(cut, cut, right);
    const stop: StopReason = { reason: 'truncated' };
    expect([run.submitted, run.stop, findings]).toEqual([true, stop, ['src/a.ts:1']]);
  });

  it('is forgotten when the model submits instead of continuing', async () => {
    const { agent, run, findings } = await extracted(cut, right);
    expect([run.stop, findings, eventsOf(agent, 'extraction-start')]).toEqual([
      { reason: 'submitted' },
      ['src/a.ts:1'],
      [],
    ]);
  });

  it('is no review when the continuation fails', async () => {
    const { agent, run } = await extracted(cut, new ModelError('authentication', 'Wrong key.'));
    expect([run.stop.reason, run.submitted]).toEqual(['model-failed', false]);
    expect(eventsOf(agent, 'extraction-start')).toEqual([]);
  });
});

function review(quote: string) {
  return {
    files_review: [submitted({ quote })],
    non_specific_review: null,
    approval: { approved: false, rationale: 'Mend it.', action: 'REQUEST_CHANGES' },
  };
}

async function extracted(...script: readonly ScriptedStep[]) {
  const submit = submitReview({ ...sources(files, { head: { 'src/a.ts': 'two\n' } }), nextId: () => 'f1' });
  const agent = agentWith({ model: new ScriptedModel(...script), finish: submit.tool, estimateTokens: quarter });
  const whole = async (): Promise<AgentRun> => extract(agent, await runAgent(agent, opening), submit);
  const run = await agent.clock.drive(whole());
  const findings = submit
    .result()
    .findings.map(({ path, anchor }) => `${path}${anchor.kind === 'lines' ? `:${anchor.startLine}` : ''}`);
  return { agent, run, findings };
}
