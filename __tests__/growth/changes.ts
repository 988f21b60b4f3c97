import { RepeatedCalls } from '../../src/core/agent/conversation.ts';
import { estimateTokens } from '../../src/core/agent/estimate.ts';
import { parseTextToolCalls } from '../../src/core/agent/text-tool-calls.ts';
import { parseArguments } from '../../src/core/agent/tool.ts';
import { planBatches } from '../../src/core/batches/plan-batches.ts';
import { enclosingOf } from '../../src/core/context/scopes.ts';
import { parseFinalText } from '../../src/core/findings/accepted-formats.ts';
import type { Finding } from '../../src/core/findings/finding.ts';
import { explainNotFound } from '../../src/core/findings/ground.ts';
import { completeItems } from '../../src/core/findings/loose-json.ts';
import { choosePlace, findQuote, readQuote } from '../../src/core/findings/quote.ts';
import { normaliseSubmission } from '../../src/core/findings/read-submission.ts';
import { wordsOf } from '../../src/core/knowledge/by-words.ts';
import { passagesOf } from '../../src/core/knowledge/knowledge.ts';
import { languageOf } from '../../src/core/languages/languages.ts';
import { lineScanner } from '../../src/core/languages/scan-code.ts';
import type { Definition } from '../../src/core/languages/syntax.ts';
import { commentableLines } from '../../src/core/pull-request/changed-file.ts';
import { parseDiff, parseHunks } from '../../src/core/pull-request/parse-diff.ts';
import { selectFiles } from '../../src/core/pull-request/select-files.ts';
import { callText } from '../../src/core/report/agent-line.ts';
import { linearGlob } from '../../src/core/repository/path.ts';
import type { Repository } from '../../src/core/repository/repository.ts';
import { shown } from '../../src/core/repository/shown.ts';
import { builtInRules } from '../../src/core/rules/built-in-rules.ts';
import { carriedLines } from '../../src/core/rules/carried.ts';
import { secretsIn } from '../../src/core/rules/find-secrets.ts';
import { splitFrontMatter } from '../../src/core/rules/parse-rule.ts';
import { applyRules } from '../../src/core/rules/run-rules.ts';
import { createRedactor } from '../../src/core/secrets/redact.ts';
import { redactSecrets } from '../../src/core/secrets/values.ts';
import { loadGuidance, readTeamFile } from '../../src/core/team/guidance.ts';
import { syntaxOutline } from '../../src/core/tools/get-file-structure.ts';
import { agentWith, run, submit } from '../core/agent/agent-with.ts';
import { hunk, sources } from '../core/findings/make.ts';
import { addedFile, changedFile, hunkOf } from '../fakes/memory-repository.ts';
import { finding } from '../fakes/review-record.ts';
import { call, ScriptedModel } from '../fakes/scripted-model.ts';

/** What the commits of a pull request multiply. */
export const changes: readonly Growing[] = [
  growing('comments postil-ignore', 2_000, (count) => rulesOver(ignoring(count))),
  growing('comments postil-ignore in an unknown language', 2_000, (count) => rulesOver(ignoring(count), 'a.zzz')),
  growing('comments that are obeyed', 1_000, (count) => {
    const line = 'debugger; // postil-ignore: debugger-statement ours';
    const lines = many(count, () => [`-${line.replace('debugger;', 'x;')}`, `+${line}`]).flat();
    const head = many(count, () => line);
    return rulesOver(head, 'src/a.ts', lines);
  }),
  growing('lines that break rules', 2_500, (count) =>
    rulesOver(many(count, () => 'debugger; console.log(1); it.only()')),
  ),
  growing('equal lines that moved, in matches of several lines', 2_000, (count) => {
    const catches = many(count, () => ['} catch {', '}']).flat();
    const from = changedFile('src/b.ts', { deletions: count * 2, lines: catches.map((line) => `-${line}`) });
    const files = [from, addedFile('src/a.ts', many(count, () => ['  } catch {', '  }', 'a();']).flat())];
    const seams = { nextId: counter(), readHead: async () => null, hide: (text: string) => text };
    return () => applyRules({ rules: builtInRules, files, ...seams, carried: carriedLines(files) });
  }),
  growing('merge conflicts', 2_000, (count) =>
    rulesOver(many(count, (index) => ['<<<<<<< a', '=======', '>>>>>>> b'][index % 3] ?? '')),
  ),
  growing('secrets in one line', 600, (count) => {
    const line = many(count, (index) => `token="${secretOf(index)}"`).join(' ');
    return () => [secretsIn(builtInRules, [addedFile('a.ts', [line])]), redactSecrets(line)];
  }),
  growing('passwords in one line', 2_000, (count) => {
    const line = many(count, (index) => `password="${secretOf(index).slice(12)}"`).join(' ');
    const run = rulesOver([line]);
    return () => [run(), secretsIn(builtInRules, [addedFile('a.ts', [line])])];
  }),
  growing('secrets, one a line', 1_000, (count) => {
    const lines = many(count, (index) => `const token = "${secretOf(index)}";`);
    return () => {
      const redact = createRedactor([]);
      redact.learn(secretsIn(builtInRules, [addedFile('a.ts', lines)]));
      return lines.map((line) => redact(line));
    };
  }),
  growingLines('private keys that begin', 1_000, '-----BEGIN RSA PRIVATE KEY-----'),
  growingLines('private keys that end', 2_000, '-----END RSA PRIVATE KEY-----'),
  growingText('names of passwords on a line', { size: 8_000, part: 'password="aA1', read: redactSecrets }),
  growingText('addresses on a line', { size: 20_000, part: '://a', read: redactSecrets }),
  growingText('beginnings of tokens on a line', { size: 20_000, part: 'eyJaaaaaaaaaaaaa.', read: redactSecrets }),
  growing('hunks of a patch', 2_000, (count) => {
    const patch = many(count, (index) => `@@ -${index * 9 + 1} +${index * 9 + 1} @@ f\n-a\n+b\n`).join('');
    return () => parseHunks(patch);
  }),
  growing('changed files', 2_000, (count) => {
    const modes = `100644 100644 ${'a'.repeat(40)} ${'b'.repeat(40)} M`;
    const raw = many(count, (index) => `:${modes}\0d${index}/f.ts\0`).join('');
    const numstat = many(count, (index) => `1\t1\td${index}/f.ts\0`).join('');
    const patch = many(count, (index) => `diff --git a/d${index}/f b/d${index}/f\n@@ -1 +1 @@\n-a\n+b\n`).join('');
    return () => parseDiff({ raw, numstat, patch });
  }),
  growing('files of one name with tests', 300, (count) => {
    const files = many(count, (index) => [
      addedFile(`d${index}/cart.ts`, ['a']),
      addedFile(`t${index}/cart.test.ts`, ['a']),
    ]);
    return () => planBatches(files.flat(), { maxFiles: 10, maxTokens: 5_000 });
  }),
  growing('files that import one', 300, (count) => {
    const files = many(count, (index) => addedFile(`d${index}/f.ts`, ['a']));
    const paths = new Set(files.map(({ path }) => path));
    const relations = new Map(files.map(({ path }, index) => [path, index === 0 ? paths : new Set(['d0/f.ts'])]));
    return () => planBatches(files, { maxFiles: 10, maxTokens: 5_000, relations });
  }),
  growing('patterns of files', 1_200, (count) => {
    const files = many(10, (index) => addedFile(`d${index}/f.ts`, ['a']));
    return () => selectFiles(files, { include: [], exclude: many(count, (index) => `x${index}/**`), skipKinds: [] });
  }),
  growing('stars of a glob', 500, (count) => () => linearGlob('*a'.repeat(count))('a'.repeat(1_000))),
  growing('folders of a path', 200, (count) => {
    const changedPaths = many(20, (index) => `${'d/'.repeat(count)}f${index}.ts`);
    return () => loadGuidance(guidanceIn(['AGENTS.md']), { names: ['AGENTS.md'], changedPaths, isDenied: () => null });
  }),
  growing('guidance files', 500, (count) => {
    const files = guidanceIn(many(count, (index) => `d${index}/AGENTS.md`));
    const changedPaths = many(count, (index) => `d${index}/a.ts`);
    return () => loadGuidance(files, { names: ['AGENTS.md'], changedPaths, isDenied: () => null });
  }),
  growing('links in a chain', 100, (count) => () => readTeamFile(links(count), { path: 'l0', isDenied: () => null })),
  growing('levels of front matter', 300, (count) => {
    const text = `---\na: ${'['.repeat(count)}${']'.repeat(count)}\n---\nx`;
    return () => splitFrontMatter(text);
  }),
  growingText('templates on a line', { size: 5_000, part: '`${`${/a', read: scan('a.ts') }),
  growingText('slashes on a line', { size: 20_000, part: '= /[', read: scan('a.ts') }),
  growingText('comments on a line', { size: 20_000, part: '<!-- -- ', read: scan('a.vue') }),
  growingText('quotations on a line', { size: 20_000, part: ' >', read: scan('a.md') }),
  growing('headings of a document', 2_000, (count) => {
    const lines = many(count, (index) => `# H${index}`);
    return () => passagesOf('a.md', lines);
  }),
  growingText('words of a document', { size: 8_000, part: 'aBc_dE', read: wordsOf }),
  growing('definitions of a file and changed lines', 2_000, (count) => {
    const definitions = many(count, (index) => definitionAt(index + 1));
    return () => many(count, (index) => enclosingOf({ definitions }, index + 1));
  }),
  growing('declarations of a file', 2_000, (count) => {
    const definitions = many(count, (index) => definitionAt(index + 1));
    const lines = many(count, () => ({ text: 'export function f() {', redacted: false }));
    return () => syntaxOutline({ language: 'ecmascript', definitions, references: [], imports: [] }, lines);
  }),
];

function definitionAt(line: number): Definition {
  return { name: 'f', kind: 'function', container: null, startLine: line, signatureEndLine: line, endLine: line };
}

function rulesOver(lines: readonly string[], path = 'src/a.ts', hunk: readonly string[] | null = null) {
  const file = hunk === null ? addedFile(path, lines) : changedFile(path, { hunks: [hunkOf(hunk)] });
  const readHead = async () => lines.join('\n');
  return () => applyRules({ rules: builtInRules, files: [file], nextId: counter(), readHead, hide: (text) => text });
}

function ignoring(count: number): readonly string[] {
  return many(count, () => '//postil-ignore: x');
}

function secretOf(index: number): string {
  return `ghp_${String(index).padStart(36, 'aB3dE')}`;
}

function growingLines(name: string, size: number, line: string): Growing {
  return growing(name, size, (count) => {
    const lines = many(count * 2, (index) => (index % 2 === 0 ? line : 'abcd'));
    return () => shown(lines);
  });
}

function scan(path: string): (line: string) => unknown {
  const syntax = languageOf(path)?.syntax;
  if (syntax === undefined) throw new Error(`${path} is of no known language`);
  return (line) => lineScanner(syntax).scan(line);
}

/** Not kept in a map that is searched: what is measured is what asks. */
function guidanceIn(paths: readonly string[]): Repository {
  return {
    readFile: async () => ({ kind: 'text', text: 'x', bytes: 1 }),
    listFiles: async () => paths.map((path) => ({ path, kind: 'file', bytes: 1 })),
  };
}

function links(count: number): Repository {
  return {
    readFile: async (path) => ({ kind: 'symlink', target: `l${(Number(path.slice(1)) + 1) % count}` }),
    listFiles: async () => [],
  };
}

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
  growing('levels of a final text', 5_000, (count) => {
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

/** Something that a pull request, or the model that reads it, can multiply. */
export type Growing = {
  readonly name: string;
  /** How many the small input has; the large one has ten times as many. */
  readonly size: number;
  /** Makes an input of a size; what it returns is measured. */
  readonly prepare: (size: number) => () => unknown;
};

export function growing(name: string, size: number, prepare: Growing['prepare']): Growing {
  return { name, size, prepare };
}

/** The time that a text of so many repetitions takes. */
export function growingText(
  name: string,
  { size, part, read }: { readonly size: number; readonly part: string; readonly read: (text: string) => unknown },
): Growing {
  return growing(name, size, (count) => {
    const text = part.repeat(count);
    return () => read(text);
  });
}

export function many<T>(count: number, make: (index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

export function counter(): () => string {
  let count = 0;
  return () => `f${++count}`;
}

/** A finding on one line. */
export function findingAt(line: number, changes: Partial<Finding> = {}): Finding {
  const anchor = { kind: 'lines', side: 'RIGHT', startLine: line, endLine: line, quote: 'x' } as const;
  return finding({ id: `f${line}`, title: `Title ${line}`, anchor, ...changes });
}
