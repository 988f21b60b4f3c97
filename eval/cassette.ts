import type { Clock } from '../src/core/agent/agent.ts';
import type { Model } from '../src/core/agent/model.ts';
import { valueOfJson } from '../src/core/bounded.ts';
import type { Embedder } from '../src/core/knowledge/by-meaning.ts';
import { exactly, type Infer, listOf, type Parsed, parserFor, type Schema } from '../src/core/schema.ts';
import { RecordedCalls, recordedEmbedder, recorder, replayedEmbedder } from '../src/core/transcript/calls.ts';
import { recordedModel } from '../src/core/transcript/record.ts';
import { replayedModel } from '../src/core/transcript/replay.ts';
import { type CallLine, requestKey } from '../src/core/transcript/transcript.ts';

/** Raised when a line changes its meaning. */
const cassetteVersion = 1;

const text = { type: 'string' } as const;
const count = { type: 'integer', minimum: 0 } as const;

/** An object in which every property is there; others may be. */
function having<const P extends { readonly [name: string]: Schema }>(properties: P) {
  const { additionalProperties: _, ...schema } = exactly(properties);
  return schema;
}

const headSchema = having({
  type: { enum: ['cassette'] },
  schema_version: { enum: [cassetteVersion] },
  postil: { ...text, description: 'Version that recorded it.' },
  case: text,
  subject: { ...text, description: 'The two commits that were compared.' },
  config: text,
  model: text,
  judge: { type: ['string', 'null'] },
  ports: { type: 'array', maxItems: 4, items: { enum: ['model', 'verifyModel', 'embedder', 'judge'] } },
});

const endSchema = having({ type: { enum: ['end'] }, milliseconds: count });

const errorSchema = {
  type: 'object',
  required: ['name', 'message'],
  properties: {
    name: text,
    message: text,
    kind: text,
    hint: text,
    retry_after: { type: ['number', 'null'] },
    maybe_billed: { type: 'boolean' },
  },
} as const;

const usageSchema = {
  ...having({ input: count, cached: count, output: count, thinking: count, estimated: { type: 'boolean' } }),
  type: ['object', 'null'],
} as const;

const answerSchema = having({
  message: having({
    role: { enum: ['assistant'] },
    text,
    toolCalls: listOf(having({ id: text, name: text, arguments: text })),
  }),
  end: { enum: ['end', 'tool-calls', 'length', 'refusal', 'content-filter'] },
  usage: usageSchema,
});

const embeddedSchema = having({
  vectors: listOf({ type: 'string', pattern: '^[A-Za-z0-9+/]*={0,2}$' }),
  usage: usageSchema,
});

const called = having({
  type: { enum: ['call'] },
  call: { enum: ['model.answer', 'verifyModel.answer', 'embedder.answer', 'judge.answer'] },
  key: text,
  milliseconds: { type: 'number', minimum: 0 },
});

/** Its result is checked by itself: each port has its own. */
const callSchema = { ...called, properties: { ...called.properties, result: {}, error: errorSchema } } as const;

const parseHead = parserFor(headSchema, { firstProblem: true });
const parseCall = parserFor(callSchema, { firstProblem: true });
const parseAnswer = parserFor(answerSchema, { firstProblem: true });
const parseEmbedded = parserFor(embeddedSchema, { firstProblem: true });
const parseEnd = parserFor(endSchema, { firstProblem: true });

export type CassetteHead = Omit<Infer<typeof headSchema>, 'type' | 'schema_version'>;

/** What a model answered in one review, to be answered again while everything else is real. */
export type Cassette = {
  readonly head: CassetteHead;
  readonly calls: readonly CallLine[];
  /** How long the recorded review took. */
  readonly milliseconds: number;
};

/** Reads a whole cassette. Other than a transcript it comes from colleagues and strangers: every line is checked. Never throws. */
export function parseCassette(written: string): Parsed<Cassette> {
  const lines = written.split('\n').filter((line) => line.trim() !== '');
  const values = lines.map(valueOfJson);
  const head = parseHead(values[0]);
  if (!head.ok) return refuse(`line 1 does not begin a cassette that this Postil reads: ${head.problems[0]}`);
  const end = parseEnd(values.at(-1));
  if (!end.ok) return refuse('its last line is missing: the recording did not come to its end');
  const calls: CallLine[] = [];
  for (const [index, value] of values.slice(1, -1).entries()) {
    const line = parseCall(value);
    if (!line.ok) return refuse(`line ${index + 2} is no answer: ${line.problems[0]}`);
    const { error, ...answered } = line.value;
    const parse = answered.call === 'embedder.answer' ? parseEmbedded : parseAnswer;
    const result = error === undefined ? parse(answered.result) : null;
    if (result?.ok === false) return refuse(`line ${index + 2} is no answer of its port: ${result.problems[0]}`);
    calls.push(error === undefined ? answered : { ...answered, error });
  }
  return { ok: true, value: { head: head.value, calls, milliseconds: end.value.milliseconds } };
}

function refuse(problem: string): Parsed<Cassette> {
  return { ok: false, problems: [problem] };
}

export type EvalModels = {
  readonly model: Model | null;
  readonly verifyModel: Model | null;
  readonly embedder: Embedder | null;
  readonly judge: Model | null;
};

type Redact = (text: string) => string;

/** Models that answer from a cassette, by request first, else in order. The time of the recording is not waited for. */
export function playCassette(
  { head, calls }: Cassette,
  redact: Redact,
): {
  readonly models: EvalModels;
  /** Questions that the recording did not ask, and those of them that found no answer. */
  readonly asked: () => { readonly anew: number; readonly unanswered: number };
} {
  const of = (...names: readonly string[]) =>
    new RecordedCalls(
      calls.filter(({ call }) => names.includes(call)),
      timeless,
    );
  const reviewing = of('model.answer', 'verifyModel.answer', 'embedder.answer');
  // A judge that is asked something else is no error of the review: it answers in order or not at all.
  const judging = of('judge.answer');
  const has = (port: CassetteHead['ports'][number]) => head.ports.includes(port);
  return {
    models: {
      model: has('model') ? replayedModel('model', { calls: reviewing, redact }) : null,
      verifyModel: has('verifyModel') ? replayedModel('verifyModel', { calls: reviewing, redact }) : null,
      embedder: has('embedder') ? replayedEmbedder({ calls: reviewing, redact }) : null,
      judge: has('judge') ? exactJudge(judging, redact) : null,
    },
    asked: () => ({ anew: reviewing.divergences.length, unanswered: reviewing.unanswered }),
  };
}

/** An answer numbers the findings of its own question: for another question it would mean others. */
function exactJudge(calls: RecordedCalls, redact: Redact): Model {
  return {
    answer: (request, signal) => calls.answer({ call: 'judge.answer', key: requestKey(request, redact), signal }),
  };
}

const timeless: Clock = { now: () => 0, wait: () => Promise.resolve() };

/** The same models, which write down what they answer; `text` is the cassette when the review is done. */
export function recordModels(
  models: EvalModels,
  { clock, redact }: { clock: Clock; redact: Redact },
): {
  readonly models: EvalModels;
  readonly text: (head: Omit<CassetteHead, 'ports'>, milliseconds: number) => string;
} {
  const lines: CallLine[] = [];
  const write = (line: CallLine) => {
    // What another attempt made good is nothing that a replay has to live through.
    if (line.error?.kind !== 'transient' && line.error?.kind !== 'aborted') lines.push(line);
  };
  const record = recorder({ clock, write });
  const ports = headSchema.properties.ports.items.enum.filter((port) => models[port] !== null);
  return {
    models: {
      model: recordedModel(models.model, { name: 'model', record, redact }),
      verifyModel: recordedModel(models.verifyModel, { name: 'verifyModel', record, redact }),
      embedder: recordedEmbedder(models.embedder, { record, redact }),
      judge: recordedModel(models.judge, { name: 'judge', record, redact }),
    },
    text: (head, milliseconds) =>
      [
        { type: 'cassette', schema_version: cassetteVersion, ...head, ports },
        ...lines,
        { type: 'end', milliseconds: Math.round(milliseconds) },
      ]
        .map(
          (line) => `${JSON.stringify(line, (_key, value) => (typeof value === 'string' ? redact(value) : value))}\n`,
        )
        .join(''),
  };
}
