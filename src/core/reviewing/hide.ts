import type { RecheckItem } from '../findings/earlier.ts';
import type { Held, Memory } from '../history/memory.ts';
import { wrapPort } from '../port.ts';
import type { ChangedFile, Hunk } from '../pull-request/changed-file.ts';
import type { Changes, Comment, HeadCheck, PullRequest, ReviewThread, Stack } from '../pull-request/pull-request.ts';
import type { Selection } from '../pull-request/select-files.ts';
import type { Repository, TextSearch } from '../repository/repository.ts';
import type { HideInSource } from '../rules/find-secrets.ts';
import type { ReviewingParts } from './parts.ts';

/** Takes secrets out. */
export type Redaction = {
  /** Those of the diff, out of any text. */
  readonly hide: (text: string) => string;
  /** Out of source those that rules find there, too. */
  readonly hideInSource: HideInSource;
};

type Hide = Redaction['hide'];

type Reviewing = {
  readonly changes: Changes;
  readonly selection: Selection;
  readonly asked: readonly RecheckItem[];
  readonly memory: Memory;
};

/** What the model reads, without the credentials that rules found: in prompts, tools and quotes alike. */
export function hiddenFromModel<Review extends Reviewing>(
  parts: ReviewingParts,
  review: Review,
  redaction: Redaction,
): readonly [ReviewingParts, Review] {
  const { pullRequest, code } = parts;
  const { changes, selection, asked, memory } = review;
  const { hide } = redaction;
  return [
    {
      ...parts,
      pullRequest: hiddenInPullRequest(pullRequest, hide),
      code: {
        ...code,
        repository: hiddenInRepository(code.repository, redaction),
        search: code.search && hiddenInSearch(code.search, redaction),
      },
    },
    {
      ...review,
      changes: { ...changes, files: hiddenInFiles(changes.files, hide) },
      selection: { ...selection, kept: hiddenInFiles(selection.kept, hide) },
      memory: hiddenInMemory(memory, hide),
      asked: asked.map((one) => ({ ...one, said: hide(one.said), hunks: hiddenInHunks(one.hunks, hide) })),
    },
  ];
}

/** What people wrote stands in the threads of earlier findings, too. */
function hiddenInMemory(memory: Memory, hide: Hide): Memory {
  const heldIn = (held: Held): Held => {
    switch (held.in) {
      case 'thread':
        return { ...held, thread: hiddenInThread(held.thread, hide), comment: hiddenInComment(held.comment, hide) };
      case 'review':
        return { ...held, review: { ...held.review, body: hide(held.review.body) } };
      case 'sticky':
        return held;
    }
  };
  const prior = memory.prior.map((one) => {
    return { ...one, mark: { ...one.mark, title: hide(one.mark.title) }, held: heldIn(one.held) };
  });
  return { ...memory, prior };
}

function hiddenInComment(comment: Comment, hide: Hide): Comment {
  return { ...comment, body: hide(comment.body) };
}

function hiddenInThread(thread: ReviewThread, hide: Hide): ReviewThread {
  return { ...thread, comments: thread.comments.map((comment) => hiddenInComment(comment, hide)) };
}

/** The same repository, for readers who may not see what is hidden. */
export function hiddenInRepository(repository: Repository, { hide, hideInSource }: Redaction): Repository {
  return wrapPort(repository, {
    readFile: async (proceed, path) => {
      const content = await proceed();
      return content.kind === 'text' ? { ...content, text: hideInSource(path, hide(content.text)) } : content;
    },
  });
}

function hiddenInSearch(search: TextSearch, { hide, hideInSource }: Redaction): TextSearch {
  return wrapPort(search, {
    search: async (proceed) => {
      const found = await proceed();
      const matches = found.matches.map((match) => ({ ...match, text: hideInSource(match.path, hide(match.text)) }));
      return { ...found, matches };
    },
  });
}

// What holds nothing to hide stays as it is: a change may have a million lines, and its files stand in two lists.
export function hiddenInFiles(files: readonly ChangedFile[], hide: Hide): readonly ChangedFile[] {
  return mapped(files, (file) => {
    const hunks = hiddenInHunks(file.hunks, hide);
    return hunks === file.hunks ? file : { ...file, hunks };
  });
}

function hiddenInHunks(hunks: readonly Hunk[], hide: Hide): readonly Hunk[] {
  return mapped(hunks, (hunk) => {
    const [heading, lines] = [hide(hunk.heading), mapped(hunk.lines, hide)];
    return heading === hunk.heading && lines === hunk.lines ? hunk : { ...hunk, heading, lines };
  });
}

/** The very same list when no item differs. */
function mapped<Item>(items: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  let changed: Item[] | null = null;
  for (const [index, item] of items.entries()) {
    const next = change(item);
    if (next !== item) changed ??= items.slice(0, index);
    changed?.push(next);
  }
  return changed ?? items;
}

/** What people and CI wrote, without what is hidden: everything of a pull request that stands in a prompt. Names, commits and places stay. */
export function hiddenInPullRequest(pullRequest: PullRequest, hide: Hide): PullRequest {
  const { title, body, stack, labels, commits, linked, conversation, threads, reviews } = pullRequest;
  const ofCheck = (check: HeadCheck) => ({
    ...check,
    name: hide(check.name),
    workflow: check.workflow === null ? null : hide(check.workflow),
    conclusion: hide(check.conclusion),
  });
  return {
    ...pullRequest,
    title: hide(title),
    body: hide(body),
    ...(stack === undefined ? {} : { stack: hiddenInStack(stack, hide) }),
    labels: labels.map(hide),
    commits: commits.map((commit) => ({ ...commit, message: hide(commit.message) })),
    linked: {
      ...linked,
      issues: linked.issues.map((issue) => ({ ...issue, title: hide(issue.title), body: hide(issue.body) })),
      checks: linked.checks?.map(ofCheck) ?? null,
    },
    conversation: conversation.map((comment) => hiddenInComment(comment, hide)),
    threads: threads.map((thread) => hiddenInThread(thread, hide)),
    reviews: reviews.map((review) => ({ ...review, body: hide(review.body) })),
  };
}

function hiddenInStack({ base, below }: Stack, hide: Hide): Stack {
  return { base, below: below.map((layer) => ({ ...layer, title: hide(layer.title) })) };
}
