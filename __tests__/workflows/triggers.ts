import { at, isObject, textAt } from '../fakes/every-pair.ts';
import type { ActionOptions } from '../scenarios/harness.ts';

/** Whether an event starts a workflow with this `on`. */
export function startsOn(on: unknown, { name, payload }: ActionOptions['event']): boolean {
  if (typeof on === 'string') return on === name;
  if (!isObject(on) || !(name in on)) return false;
  const trigger = on[name];
  const types = [at(trigger, 'types') ?? defaults[name] ?? []].flat().map(String);
  const branches = [at(trigger, 'branches') ?? []].flat().map(String);
  const action = textAt(payload, 'action');
  const base = textAt(payload, 'pull_request', 'base', 'ref');
  return (
    (types.length === 0 || types.includes(action)) && (branches.length === 0 || base === '' || branches.includes(base))
  );
}

const ofPullRequests = ['opened', 'synchronize', 'reopened'];

/** Where a workflow names no types; the others start for all. */
const defaults: Readonly<Record<string, readonly string[]>> = {
  pull_request: ofPullRequests,
  pull_request_target: ofPullRequests,
};
