/** `owner/name` of a remote as git writes it, when it is on this server; else null. */
export function repositoryOfRemote(url: string, serverUrl: string): string | null {
  const [, host = '', path = ''] = scp.exec(url) ?? addressed.exec(url) ?? [];
  const [, server] = addressed.exec(serverUrl) ?? [];
  if (host.toLowerCase() !== server?.toLowerCase()) return null;
  const name = path.replace(/\/+$/, '').replace(/\.git$/, '');
  return /^[\w-]+\/[\w.-]+$/.test(name) ? name : null;
}

// Such as git@github.com:o/r.git, and https://github.com/o/r or ssh://git@github.com:22/o/r.git.
const scp = /^(?:[^@/\s]+@)?([^:/\s]+):(?!\/)([^\s]+)$/;
const addressed = /^(?:https?|ssh|git):\/\/(?:[^@/\s]*@)?([^:/\s]+)(?::\d+)?\/?([^\s]*)$/;
