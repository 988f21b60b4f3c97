import { Buffer } from 'node:buffer';
import type { GitHub } from './client.ts';
import { gitHubError } from './github-error.ts';
import type { RepositoryName } from './trees.ts';

/** What is kept of blobs that were read, in bytes: the model asks for the same files again and again. */
const keptBytes = 32_000_000;

type BlobName = RepositoryName & { readonly sha: string };

/** Reads blobs of up to 100 MB, GitHub's own limit. The least recently read ones are forgotten first. */
export function createBlobs(github: GitHub): { read(name: BlobName): Promise<Buffer> } {
  const kept: Map<string, Buffer> = new Map();
  let size = 0;
  const keep = (sha: string, content: Buffer) => {
    size += content.length - (kept.get(sha)?.length ?? 0);
    kept.delete(sha);
    kept.set(sha, content);
    for (const [oldest, old] of kept) {
      if (size <= keptBytes) return;
      kept.delete(oldest);
      size -= old.length;
    }
  };
  return {
    read: async (name) => {
      const content = kept.get(name.sha) ?? (await download(github, name));
      keep(name.sha, content);
      return content;
    },
  };
}

async function download(github: GitHub, { owner, repository, sha }: BlobName): Promise<Buffer> {
  try {
    const answer = await github.rest.git.getBlob({ owner, repo: repository, file_sha: sha });
    // Base64 arrives as it was stored; the raw media type is announced, and decoded, as UTF-8.
    return Buffer.from(answer.data.content, 'base64');
  } catch (error) {
    const subject = `blob ${sha.slice(0, 12)} in ${owner}/${repository}`;
    throw gitHubError(error, { subject, permission: 'contents: read' });
  }
}
