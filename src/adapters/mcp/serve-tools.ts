import { Writable } from 'node:stream';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from '@modelcontextprotocol/sdk/types.js';
import { explain } from '../../core/errors.ts';
import type { Reporter } from '../../core/events.ts';
import { showInvisible } from '../../core/report/text.ts';
import { liveLine } from '../../core/report/timeline.ts';
import type { Schema } from '../../core/schema.ts';

type ObjectSchema = Schema & {
  readonly type: 'object';
  readonly properties: { readonly [name: string]: Schema };
  readonly required: readonly string[];
};

/** A tool that reads, as a client sees it, and what runs it. */
export type ServedTool = {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: ObjectSchema;
  readonly output: ObjectSchema;
  /** `given` is whatever the client sent. @throws an error, whose reasons the client gets */
  readonly run: (given: unknown, call: ToolCall) => Promise<ToolResult>;
};

export type ToolCall = {
  /** Aborted when the client cancels or leaves. */
  readonly signal: AbortSignal;
  /** What it tells is the client's progress. */
  readonly report: Reporter;
};

/** The same as text and as data, which `output` describes. */
export type ToolResult = { readonly text: string; readonly data: { readonly [name: string]: unknown } };

type Options = {
  readonly name: string;
  readonly version: string;
  /** For the client's model: what the server is good for. */
  readonly instructions: string;
  /** Takes secrets out of what is said of an error. */
  readonly redact: (text: string) => string;
  /** What the client sent and nobody understands. */
  readonly onProblem: (text: string) => void;
  readonly signal: AbortSignal;
};

/** Milliseconds: clients give a call up when they hear nothing for 60 seconds. */
const progressEvery = 5_000;
/** Events may come much faster. */
const progressAtLeast = 1_000;
const progressCharacters = 120;

/** Serves the tools on stdin and stdout until the client leaves or the signal is aborted; calls that still run are aborted and waited for. */
export async function serveTools(tools: readonly ServedTool[], options: Options): Promise<void> {
  const { name, version, instructions, signal, onProblem } = options;
  const running = new Set<Promise<unknown>>();
  const server = new Server({ name, version }, { capabilities: { tools: {} }, instructions });
  server.onerror = (error) => onProblem(error.message);
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(described) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal: left, _meta, sendNotification }) => {
    const tool = tools.find((one) => one.name === params.name);
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${params.name}.`);
    const token = _meta?.progressToken;
    const progress = progressOf((count, message) => {
      if (token === undefined) return;
      const told = { progressToken: token, progress: count, message };
      sendNotification({ method: 'notifications/progress', params: told }).catch(() => undefined);
    });
    const run = resultOf(tool.run(params.arguments ?? {}, { signal: left, report: progress.report }), options);
    running.add(run);
    return await run.finally(() => {
      progress.stop();
      running.delete(run);
    });
  });
  const stdout = takeStdout();
  try {
    const gone = clientGone(signal);
    await server.connect(new StdioServerTransport(process.stdin, stdout.stream));
    await gone;
    await server.close();
    await Promise.all(running);
  } finally {
    stdout.giveBack();
  }
}

function described({ name, title, description, input, output }: ServedTool) {
  const listed = ({ properties, required, ...schema }: ObjectSchema) => ({
    ...schema,
    properties: { ...properties },
    required: [...required],
  });
  // It sends code to a model server, so the world is open.
  const annotations = { readOnlyHint: true, destructiveHint: false, openWorldHint: true };
  return { name, title, description, annotations, inputSchema: listed(input), outputSchema: listed(output) };
}

/** An error is a result, too: the client's model reads it. */
async function resultOf(running: Promise<ToolResult>, { redact }: Options) {
  try {
    const { text, data } = await running;
    return { content: [{ type: 'text' as const, text }], structuredContent: data };
  } catch (error) {
    return { content: [{ type: 'text' as const, text: showInvisible(redact(explain(error))) }], isError: true };
  }
}

/** Tells where a call is: at once, then at events and every few seconds. */
function progressOf(send: (count: number, message: string) => void) {
  const line = liveLine(() => performance.now());
  let count = 0;
  let last = Number.NEGATIVE_INFINITY;
  const tell = () => {
    count += 1;
    last = performance.now();
    send(count, line.text(progressCharacters));
  };
  tell();
  const timer = setInterval(tell, progressEvery);
  const report: Reporter = (event) => {
    line.report(event);
    if (performance.now() - last >= progressAtLeast) tell();
  };
  return { report, stop: () => clearInterval(timer) };
}

/** A client leaves by closing stdin. */
function clientGone(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    for (const end of ['end', 'close', 'error'] as const) process.stdin.once(end, () => resolve());
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** The protocol alone has stdout: what anything else prints goes to stderr. */
function takeStdout(): { readonly stream: Writable; readonly giveBack: () => void } {
  const { stdout, stderr } = process;
  const original = stdout.write;
  const write = original.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  // A client that left reads nothing more, which is no error.
  const stream = new Writable({ decodeStrings: false, write: (chunk, _, done) => void write(chunk, () => done()) });
  return {
    stream,
    giveBack: () => {
      stdout.write = original;
    },
  };
}
