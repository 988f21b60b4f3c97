import type { HeadCheck, Linked } from '../pull-request/linked.ts';
import type { RunIdentity } from './run-identity.ts';

/** Without the checks of our own making: the check run of this name, and the jobs of the workflow that this run belongs to. */
export function withoutOwnChecks(linked: Linked, identity: RunIdentity | null): Linked {
  const { checks } = linked;
  if (checks === null || identity === null) return linked;
  const { name } = identity;
  const [run = ''] = identity.run.split('-');
  const workflow = checks.find((check) => check.run === run)?.workflow ?? name;
  const isOurs = (check: HeadCheck) => check.name === name || check.workflow === workflow;
  return { ...linked, checks: checks.filter((check) => !isOurs(check)) };
}
