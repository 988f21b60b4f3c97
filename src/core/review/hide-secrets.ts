import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { Selection } from '../pull-request/select-files.ts';
import type { Changes } from '../pull-request/source.ts';
import type { FileContent, Repository, TextSearch } from '../repository/repository.ts';
import type { ReviewingParts } from './reviewing-parts.ts';

/** Takes secrets out of a text. */
export type Hide = (text: string) => string;

/** What the model reads, without the credentials that rules found: in prompts, tools and quotes alike. */
export function hiddenFromModel<Review extends { readonly changes: Changes; readonly selection: Selection }>(
  parts: ReviewingParts,
  review: Review,
  hide: Hide,
): readonly [ReviewingParts, Review] {
  const { pullRequest, repository, search } = parts;
  const { changes, selection } = review;
  return [
    {
      ...parts,
      pullRequest: { ...pullRequest, title: hide(pullRequest.title), body: hide(pullRequest.body) },
      repository: hiddenInRepository(repository, hide),
      search: search === null ? null : hiddenInSearch(search, hide),
    },
    {
      ...review,
      changes: { ...changes, files: hiddenInFiles(changes.files, hide) },
      selection: { ...selection, kept: hiddenInFiles(selection.kept, hide) },
    },
  ];
}

/** The same repository, for readers who may not see what is hidden. */
export function hiddenInRepository(repository: Repository, hide: Hide): Repository {
  return {
    listFiles: (at) => repository.listFiles(at),
    readFile: async (path, at) => hiddenInContent(await repository.readFile(path, at), hide),
  };
}

function hiddenInContent(content: FileContent, hide: Hide): FileContent {
  return content.kind === 'text' ? { ...content, text: hide(content.text) } : content;
}

function hiddenInSearch(search: TextSearch, hide: Hide): TextSearch {
  return {
    search: async (query) => {
      const { matches, incomplete } = await search.search(query);
      return { incomplete, matches: matches.map((match) => ({ ...match, text: hide(match.text) })) };
    },
  };
}

function hiddenInFiles(files: readonly ChangedFile[], hide: Hide): readonly ChangedFile[] {
  return files.map((file) => ({
    ...file,
    hunks: file.hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.map(hide) })),
  }));
}
