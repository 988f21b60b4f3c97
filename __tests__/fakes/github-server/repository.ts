import type { Reply } from '../loopback.ts';
import { renderUser } from './render-rest.ts';
import { json } from './respond.ts';
import type { Call, Route } from './route.ts';

const readContents = [{ permission: 'contents', level: 'read' }] as const;

export const repositoryRoutes: readonly Route[] = [
  {
    method: 'GET',
    pattern: /^\/collaborators\/(?<login>[^/]+)\/permission$/,
    needs: readContents,
    handle: getPermission,
  },
];

function getPermission(call: Call): Reply {
  const login = call.names['login'] ?? '';
  const permission = call.store.world.collaborators[login] ?? 'none';
  return json(200, { permission, role_name: permission, user: renderUser(login) });
}
