import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { starterFiles } from '../../../src/core/rules/starter.ts';
import { at } from '../../fakes/json.ts';

it('the workflow to begin with may read what the reviewer is told of a private repository, and writes reviews alone', () => {
  const workflow: unknown = parse(starterFiles.find(({ path }) => path.endsWith('/postil.yml'))?.text ?? '');
  expect(at(workflow, 'permissions')).toEqual({
    contents: 'read',
    'pull-requests': 'write',
    issues: 'read',
    checks: 'read',
    statuses: 'read',
  });
});
