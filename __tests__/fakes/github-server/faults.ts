import type { IncomingRequest, Outcome } from '../loopback.ts';
import { json, problem, secondaryLimit } from './respond.ts';
import type { Fault, FaultAnswer } from './world.ts';

/** Breaks what the script says should break, as often as it says. */
export function createFaults(script: readonly Fault[]): {
  around(request: IncomingRequest, carryOut: () => Promise<Outcome>): Promise<Outcome>;
} {
  const left = new Map(script.map((fault) => [fault, fault.times]));
  return {
    async around(request, carryOut) {
      const fault = script.find((one) => (left.get(one) ?? 0) > 0 && matches(one, request));
      if (fault === undefined) return carryOut();
      left.set(fault, (left.get(fault) ?? 0) - 1);
      if ('before' in fault) return answerOf(fault.before);
      await carryOut();
      return answerOf(fault.after);
    },
  };
}

function matches(fault: Fault, request: IncomingRequest): boolean {
  const { method, path, body } = fault.match;
  if (method !== request.method || !path.test(request.path)) return false;
  return body === undefined || body.test(request.body.toString('utf8'));
}

function answerOf(answer: FaultAnswer): Outcome {
  if (answer === 'reset' || answer === 'hang') return answer;
  if (answer === 'secondary rate limit') return secondaryLimit();
  if (answer === 'rate limit of a minute')
    return { ...json(429, { message: 'Slow down' }), headers: { 'retry-after': '60' } };
  if (answer === 'cut') return { ...json(200, {}), body: '[{"id": 1, "ht' };
  if (answer === 'empty') return { ...json(200, {}), body: '' };
  const status = Number(answer.slice('status '.length));
  return problem(status, status >= 500 ? 'Server Error' : 'Refused by the script of this test');
}
