import { describe, expect, it } from 'vitest';
import { inEnglish } from '../../src/core/messages/languages.ts';
import { at, everyPair } from '../fakes/every-pair.ts';
import type { ModelOptions } from '../fakes/model-server/script.ts';
import { type Adapter, byText, chat, type Reviewed, responses, review } from './adapters.ts';
import { answerFaults } from './faults-of-answer.ts';
import { serverFaults } from './faults-of-server.ts';
import {
  FaultyScript,
  hostile,
  hostilePath,
  type Position,
  path,
  positions,
  type Row,
  source,
} from './faulty-script.ts';

const limits = { iterations: 5, tokens: 200_000 };
/** Minutes: four waits between five attempts take a quarter of one. */
const shortWaits: readonly [number, number] = [0, 0.3];

type Cell = Row & { readonly adapter: Adapter; readonly position: Position };

const all: readonly Cell[] = [...chat, ...responses, ...byText].flatMap((adapter) =>
  [...serverFaults, ...answerFaults]
    .filter(({ when }) => when === undefined || when(adapter))
    .flatMap((row) => positions.map((position) => ({ ...row, adapter, position }))),
);

function nameOf({ adapter, what, position }: Cell) {
  const way = `${adapter.api} ${adapter.rejects.join()}`;
  return [way, adapter.stream ? 'streaming' : 'whole', what, position] as const;
}

/** Each fault comes up at each call, over each API, streaming and not; and each call does over each API. */
const chosen = new Set(everyPair(all.map(nameOf)).map((name) => name.join()));
const cells = all.filter((cell) => chosen.has(nameOf(cell).join()));

describe('a true outcome, a clean history, within every limit, in bounded time', () => {
  it.each(cells)('over $adapter.name: $what, at the $position call', async (cell) => {
    const script = new FaultyScript(cell.fault, cell.position);
    const reviewed = await reviewWith(script, cell);
    expect(endOf(reviewed)).toEqual(cell.ends[cell.position]);
    expectFault(reviewed, script, cell);
    expectTold(reviewed, cell);
    expectBounded(reviewed, cell.minutes);
  });
});

function reviewWith(script: FaultyScript, { adapter, fault }: Cell): Promise<Reviewed> {
  const { rejects = [], maxOutput = Infinity, countsAtMost = Infinity } = fault.server ?? {};
  const server: ModelOptions = {
    answers: script.answer,
    verification: script.verify,
    // Read at each request: a server that changes its mind in the middle.
    get rejects() {
      return [...adapter.rejects, ...(script.isDue ? rejects : [])];
    },
    get maxOutput() {
      return script.isDue ? maxOutput : Infinity;
    },
    get countsAtMost() {
      return script.isDue ? countsAtMost : Infinity;
    },
  };
  return review({
    adapter,
    server,
    files: { [path]: source },
    otherFiles: { [hostilePath]: hostile },
    line: script,
    inputs: { 'max-total-tokens': `${limits.tokens}` },
  });
}

function endOf({ review: { outcome, batches, findings, notes }, server }: Reviewed) {
  return {
    outcome,
    stops: batches.map(({ stop }) => (stop.reason === 'limit' ? stop.limit : stop.reason)),
    findings: findings.length,
    requests: server.requests.length + server.verifications.length,
    ...(notes.some(({ code }) => code === 'note.not-all-verified') ? { unverified: true } : {}),
  };
}

/** A cell in which nothing went wrong proves nothing. */
function expectFault({ server }: Reviewed, script: FaultyScript, cell: Cell): void {
  expect(script.faulty > 0).toBe(cell.fault.answers.length > 0);
  const seen = server.requests.length + server.verifications.length;
  expect(server.attempts.length - seen).toBe(cell.adapter.rejects.length + (cell.fault.refusals ?? 0));
  const said = server.requests.map(({ prompt }) => prompt).join('\n');
  if (cell.model !== undefined && cell.position !== 'verification' && cell.position !== 'last') {
    expect(said).toMatch(cell.model);
  }
}

function expectTold({ review, adjustments }: Reviewed, cell: Cell): void {
  const { position } = cell;
  const people = position === 'last' ? (cell.peopleAtTheCap ?? cell.people) : cell.people;
  const gaps = review.batches.map(({ gap }) => (gap === null ? '' : inEnglish(gap)));
  // A gap is never passed off as "nothing found".
  expect(gaps.every((gap) => gap === '')).toBe(review.batches.every(({ stop }) => stop.reason === 'submitted'));
  const told = [...[...review.headline, ...review.notes].map(inEnglish), ...gaps, ...adjustments].join('\n');
  if (people !== undefined && cell.ends[position].unverified !== true) expect(told).toMatch(people);
}

function expectBounded({ review, server, virtualMinutes }: Reviewed, [least, most] = shortWaits): void {
  expect(server.complaints).toEqual([]);
  expect(review.approved).toBe(false);
  const { usage, iterations, modelCalls } = review.metrics;
  expect(modelCalls).toBe(server.requests.length + server.verifications.length);
  expect(iterations).toBeLessThanOrEqual(limits.iterations * review.batches.length);
  expect(usage.input + usage.output).toBeLessThanOrEqual(limits.tokens);
  expect(virtualMinutes).toBeGreaterThanOrEqual(least);
  expect(virtualMinutes).toBeLessThanOrEqual(most);
  // M4: never asked for, so never refused.
  expect(server.attempts.some(({ body }) => at(body, 'response_format') !== undefined)).toBe(false);
}
