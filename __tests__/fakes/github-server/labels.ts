import { at } from '../every-pair.ts';
import type { Reply } from '../loopback.ts';
import { type Call, forbidden, json, page, problem, pullRoute, type Route, validationFailed } from './route.ts';
import type { StoredPull } from './store.ts';

// A pull request's labels are an issue's: either permission opens them.
const read = ['issues: read', 'pull-requests: read'] as const;
const write = ['issues: write', 'pull-requests: write'] as const;

export const labelRoutes: readonly Route[] = [
  pullRoute('GET /issues/:number/labels', read, (call, { given }) => page(call, given.labels, render)),
  pullRoute('POST /issues/:number/labels', write, addLabels),
  pullRoute('DELETE /issues/:number/labels/:name', write, removeLabel),
];

function render(name: string) {
  return { name };
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** All or none. One that the repository does not have is made, which only `issues: write` may since 2025. */
function addLabels({ store, body }: Call, pull: StoredPull): Reply {
  const asked = at(body, 'labels');
  if (!Array.isArray(asked) || asked.length === 0 || !asked.every((name) => typeof name === 'string')) {
    return problem(422, 'Invalid request.\n\n"labels" must be names.');
  }
  const names: readonly string[] = asked;
  const invalid = names.find((name) => name.trim() === '' || name.length > 50);
  if (invalid !== undefined) return validationFailed({ resource: 'Label', code: 'invalid', field: 'name' });
  // It adds up what the pull request has and what is asked for, equal or not.
  if (pull.given.labels.length + names.length > 100) return problem(500, 'Server Error');
  const unknown = names.filter((name) => !store.labels.some((one) => same(one, name)));
  if (unknown.length > 0 && store.world.permissions.issues !== 'write') return forbidden('issues=write');
  store.labels.push(...unknown);
  const own = names.map((name) => store.labels.find((one) => same(one, name)) ?? name);
  pull.given = { ...pull.given, labels: [...new Set([...pull.given.labels, ...own])] };
  return json(200, pull.given.labels.map(render));
}

function removeLabel({ names }: Call, pull: StoredPull): Reply {
  const left = pull.given.labels.filter((one) => !same(one, names['name'] ?? ''));
  if (left.length === pull.given.labels.length) return problem(404, 'Label does not exist');
  pull.given = { ...pull.given, labels: left };
  return json(200, left.map(render));
}
