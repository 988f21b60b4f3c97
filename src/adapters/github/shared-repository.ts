import { UserError } from '../../core/errors.ts';
import type { Repository } from '../../core/repository/repository.ts';
import { isHash, type SharedConfig } from '../../core/settings/shared-config.ts';
import { docsAddress } from '../../core/text.ts';
import { answerOf } from './answers.ts';
import { apiRepository } from './api-repository.ts';
import { type GitHub, gitHubError, inRepository } from './client.ts';

type SharedRepository = {
  /** At the commit, whatever revision is asked for. */
  readonly files: Repository;
  /** Full hash that the ref names now. */
  readonly commit: string;
};

/**
 * The repository of a shared config file, at the commit that its tag or hash names. A branch is none: whoever may push to it could change
 * every review from one minute to the next.
 *
 * @throws UserError when the ref does not exist, or the token may not read the repository.
 */
export async function openShared(github: GitHub, shared: SharedConfig): Promise<SharedRepository> {
  const { owner, repository, ref } = shared;
  try {
    const commit = isHash(ref) ? ref : await commitOfTag(github, shared);
    const commits = { base: commit, head: commit, mergeBase: commit };
    const files = apiRepository(github, { owner, repository, commits });
    await files.listFiles('base');
    return { files, commit };
  } catch (error) {
    const status = answerOf(error instanceof UserError ? error.cause : error)?.status;
    // 422 is a commit that GitHub does not know, 409 a repository without one.
    if (status !== 404 && status !== 409 && status !== 422)
      throw gitHubError(error, { subject: `${ref} in ${owner}/${repository}`, permission: 'contents: read' });
    throw new UserError(`${owner}/${repository} has no tag or full commit hash ${ref}, or the token may not read it.`, {
      hint: `'config' takes no branch. For a private repository give 'github-token' the token of a GitHub App: ${docsAddress}/recipes.md`,
      cause: error,
    });
  }
}

/** An annotated tag names another object, which may be a tag again. */
const mostTags = 3;

async function commitOfTag(github: GitHub, { owner, repository, ref }: SharedConfig): Promise<string> {
  const named = inRepository({ owner, repository });
  let { object } = (await github.rest.git.getRef({ ...named, ref: `tags/${ref}` })).data;
  for (let tags = 0; object.type === 'tag' && tags < mostTags; tags += 1) {
    object = (await github.rest.git.getTag({ ...named, tag_sha: object.sha })).data.object;
  }
  if (object.type === 'commit') return object.sha;
  throw new UserError(`The tag ${ref} of ${owner}/${repository} names no commit.`, { hint: "Correct it in 'config'." });
}
