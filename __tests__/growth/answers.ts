import { estimateTokens } from '../../src/core/agent/estimate.ts';
import { parseArguments } from '../../src/core/agent/parse-arguments.ts';
import { RepeatedCalls } from '../../src/core/agent/repeated-calls.ts';
import { parseTextToolCalls } from '../../src/core/agent/text-tool-calls.ts';
import { completeItems } from '../../src/core/findings/cut-submission.ts';
import { explainNotFound } from '../../src/core/findings/explain-not-found.ts';
import { parseFinalText } from '../../src/core/findings/final-text.ts';
import { choosePlace, findQuote } from '../../src/core/findings/find-quote.ts';
import { normaliseSubmission } from '../../src/core/findings/normalise-submission.ts';
import { readQuote } from '../../src/core/findings/read-quote.ts';
import { commentableLines } from '../../src/core/pull-request/commentable-lines.ts';
import { callText } from '../../src/core/report/agent-line.ts';
import { shown } from '../../src/core/repository/shown.ts';
import { agentWith, run, submit } from '../core/agent/agent-with.ts';
import { hunk, sources } from '../core/findings/make.ts';
import { changedFile } from '../fakes/changed-files.ts';
import { call, ScriptedModel } from '../fakes/scripted-model.ts';
import { type Growing, growing, growingText, many } from './growing.ts';

/** What a model multiplies in its answers, be it because a pull request talked it into it. */
export const answers: readonly Growing[] = [
  growing('tool calls of one answer', 4_000, (count) => () => {
    const calls = many(count, (index) => call('read_file', { path: `f${index}` }));
    const model = new ScriptedModel({ toolCalls: calls }, { toolCalls: [call('submit', { answer: 'done' })] });
    return run(agentWith({ model }));
  }),
  growing('levels of arguments', 1_000, (count) => {
    const nested = { id: '1', name: 'submit', arguments: `{"answer":${'['.repeat(count)}${']'.repeat(count)}}` };
    return () => [parseArguments(nested, submit()), callText(nested), new RepeatedCalls().note(nested)];
  }),
  growing('levels of a final text', 10_000, (count) => {
    const text = `{"files_review":${'['.repeat(count)}${']'.repeat(count)}}`;
    return () => parseFinalText(text);
  }),
  growingText('brackets of a final text', { size: 5_000, part: '[{"a":', read: parseFinalText }),
  growingText('broken values of a final text', { size: 2_000, part: '{"a":1,} ', read: parseFinalText }),
  growing('items of a cut submission', 2_000, (count) => {
    const text = `{"files_review":[${'{"path":"a",},'.repeat(count)}`;
    return () => completeItems(text);
  }),
  growing('findings of a submission', 10_000, (count) => {
    const value = { files_review: many(count, () => ({ path: 'a' })) };
    return () => normaliseSubmission(value);
  }),
  growingText('calls written in text', {
    size: 2_000,
    part: '<tool_call>{"tool":"a","args":{}}',
    read: parseTextToolCalls,
  }),
  growingText('tags of calls that never end', { size: 5_000, part: '<tool_call', read: parseTextToolCalls }),
  growingText('tags of results that never end', { size: 5_000, part: '</tool_result x', read: parseTextToolCalls }),
  growingText('characters of a prompt, estimated', { size: 100_000, part: 'aé ', read: estimateTokens }),
  growing('places of a quote', 20_000, (count) => {
    const hunks = many(count / 10, (index) => hunk({ old: index * 10 + 1, new: index * 10 + 1 }, ' a', '+b'));
    const { hunkOf } = commentableLines(changedFile('src/a.ts', { hunks }));
    const lines = many(count, () => 'x');
    const insideHunk = ({ start }: { readonly start: number }) => hunkOf('RIGHT', start) !== null;
    return () => choosePlace(findQuote(readQuote('x', 'RIGHT'), lines)?.places ?? [], { near: 9_999_999, insideHunk });
  }),
  growing('equal lines and a quote of them', 5_000, (count) => {
    const lines = many(count, () => 'x = 1;');
    const quote = [...many(150, () => 'x = 1;'), 'y = 2;'].join('\n');
    return () => findQuote(readQuote(quote, 'RIGHT'), lines);
  }),
  growingText('characters of a quote', { size: 100_000, part: '1 ', read: (text) => readQuote(text, 'RIGHT') }),
  growing('lines that a lost quote is compared with', 2_000, (count) => {
    const quote = [...many(150, () => 'const abc = def;'), 'lost'].join('\n');
    const file = changedFile('src/a.ts');
    const read = sources([file], { head: { 'src/a.ts': many(count, () => 'const abc = def;').join('\n') } });
    const lines = shown(many(count, () => 'const abc = def;'));
    return () => explainNotFound({ quote, subject: { path: 'src/a.ts', side: 'RIGHT', file, lines } }, read);
  }),
];
