import { expect, it } from 'vitest';
import { withoutOwnChecks } from '../../../src/core/memory/own-checks.ts';
import { type HeadCheck, nothingLinked } from '../../../src/core/pull-request/linked.ts';

const identity = { name: 'Careful', run: '4711-2', settings: '' };

function left(checks: readonly Partial<HeadCheck>[]): readonly string[] | undefined {
  const whole = checks.map(
    (check) => ({ name: 'job', workflow: null, run: null, state: 'failed', conclusion: '', ...check }) as const,
  );
  return withoutOwnChecks({ ...nothingLinked, checks: whole }, identity).checks?.map(({ name }) => name);
}

it('leaves out the check run of our name', () => {
  expect(left([{ name: 'Careful' }, { name: 'build' }])).toEqual(['build']);
});

it('leaves out the jobs of our workflow, of this run and of earlier ones', () => {
  const ours = { workflow: 'Review' };
  expect(left([{ name: 'old', ...ours, run: '12' }, { name: 'now', ...ours, run: '4711' }, { name: 'build' }])).toEqual(
    ['build'],
  );
});

it('takes the name for that of the workflow when the run is not among the checks', () => {
  expect(
    left([
      { name: 'job', workflow: 'Careful', run: '9' },
      { name: 'build', workflow: 'CI' },
    ]),
  ).toEqual(['build']);
});

it('leaves what could not be read unread, and on a laptop everything', () => {
  const checks = [{ name: 'build', workflow: null, run: null, state: 'passed', conclusion: 'success' }] as const;
  expect(withoutOwnChecks(nothingLinked, identity).checks).toBeNull();
  expect(withoutOwnChecks({ ...nothingLinked, checks }, null).checks).toEqual(checks);
});
