import { isObject, listAt, textAt } from '../json.ts';
import type { Reply } from '../loopback.ts';
import { renderUser } from './render-rest.ts';
import { invalidRequest, json, notFound } from './respond.ts';
import type { Call, Route } from './route.ts';

const readContents = [{ permission: 'contents', level: 'read' }] as const;
const writeChecks = [{ permission: 'checks', level: 'write' }] as const;

export const repositoryRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: /^\/collaborators\/(?<login>[^/]+)\/permission$/,
    needs: readContents,
    handle: getPermission,
  },
  { method: 'POST', pattern: /^\/check-runs$/, needs: writeChecks, handle: createCheckRun },
  { method: 'PATCH', pattern: /^\/check-runs\/(?<id>\d+)$/, needs: writeChecks, handle: updateCheckRun },
];

function getPermission(call: Call): Reply {
  const login = call.names['login'] ?? '';
  const permission = call.store.world.collaborators[login] ?? 'none';
  return json(200, { permission, role_name: permission, user: renderUser(login) });
}

function createCheckRun(call: Call): Reply {
  if (textAt(call.body, 'name') === '') return invalidRequest('"name" wasn\'t supplied.');
  if (textAt(call.body, 'head_sha') === '') return invalidRequest('"head_sha" wasn\'t supplied.');
  const run = { id: call.store.nextId(), content: {}, annotations: [] };
  const refusal = applyTo(run, call);
  if (refusal !== null) return refusal;
  call.store.checkRuns.push(run);
  return json(201, { id: run.id, ...run.content });
}

function updateCheckRun(call: Call): Reply {
  const run = call.store.checkRuns.find((one) => String(one.id) === call.names['id']);
  if (run === undefined) return notFound();
  return applyTo(run, call) ?? json(200, { id: run.id, ...run.content });
}

/** PATCH appends annotations, 50 a request; summary and text end at 65,535 characters. */
function applyTo(run: { content: Record<string, unknown>; annotations: unknown[] }, call: Call): Reply | null {
  const annotations = listAt(call.body, 'output', 'annotations');
  if (annotations.length > 50) {
    return invalidRequest(
      `No subschema in "anyOf" matched.\nNo more than 50 items are allowed; ${annotations.length} were supplied.`,
    );
  }
  for (const name of ['summary', 'text']) {
    if (textAt(call.body, 'output', name).length > 65_535) {
      return invalidRequest(
        `Only 65535 characters are allowed; ${textAt(call.body, 'output', name).length} were supplied.`,
      );
    }
  }
  if (isObject(call.body)) Object.assign(run.content, call.body);
  run.annotations.push(...annotations);
  return null;
}
