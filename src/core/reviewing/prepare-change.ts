import { type GroundSources, groundSources } from '../findings/sources.ts';
import { followedAll } from '../history/followed.ts';
import type { Memory } from '../history/memory.ts';
import { headReader } from '../languages/code-parts.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import { unreviewable } from '../pull-request/file-kinds.ts';
import type { Changes } from '../pull-request/pull-request.ts';
import {
  asAdded,
  type Selection,
  type SelectionOptions,
  selectFiles,
  showMoved,
} from '../pull-request/select-files.ts';
import type { Repository, UnreadableReason } from '../repository/repository.ts';
import { hideInSource, secretsIn } from '../rules/find-secrets.ts';
import { loadRules } from '../rules/load-rules.ts';
import { marker } from '../rules/obey-comments.ts';
import type { Rule } from '../rules/rule.ts';
import { hideSecrets } from '../secrets/redact.ts';
import { deniedIn } from '../tools/policy.ts';
import { hiddenInRepository, type Redaction } from './hide.ts';
import type { ReviewingParts } from './parts.ts';

/** A change as every run reads it: before it reviews all or a shard of it, answers about it, or posts what another job found in it. */
export type PreparedChange = {
  readonly changes: Changes;
  readonly selection: Selection;
  readonly selectionOptions: SelectionOptions;
  /** Why a path may not be shown to a model; null where it may. */
  readonly isDenied: (path: string) => string | null;
  readonly rules: readonly Rule[];
  /** Rules that could not be read, one sentence each. */
  readonly ruleProblems: readonly string[];
  readonly readHead: ReturnType<typeof headReader>;
  /** Takes out of texts the credentials that the rules find anywhere in the diff, and out of source those that they find there. */
  readonly redaction: Redaction;
  /** Where it is looked up what was found: without these credentials, in denied files too, as no model reads it. */
  readonly sources: GroundSources;
};

type PrepareOptions = {
  /** Globs that a comment asks about; empty for all files. */
  readonly globs: readonly string[];
  /** True where the rules alone review: they read all that has text. */
  readonly rulesOnly: boolean;
};

/** Reads the diff and the rules, and selects the files that are looked at. */
export async function prepareChange(parts: ReviewingParts, options: PrepareOptions): Promise<PreparedChange> {
  const {
    code: { repository },
    settings,
  } = parts;
  const { globs, rulesOnly } = options;
  const read = await parts.code.changes();
  const isStacked = parts.pullRequest.stack !== undefined;
  const changes = isStacked ? { ...read, files: await withStackBase(read.files, repository) } : read;
  const isDenied = deniedIn(changes.files, settings.denyPaths);
  const { include, exclude, skipKinds } = settings;
  const selectionOptions = { include, exclude, skipKinds, isDenied, rulesOnly, asked: globs };
  const selection = await showMoved(selectFiles(changes.files, selectionOptions), repository);
  const { rules, problems } = await loadRules(repository);
  const redaction = {
    hide: hideSecrets(secretsIn(rules, wholeDiff(changes.files, selection).map(asAdded))),
    hideInSource: hideInSource(rules),
  };
  return {
    changes,
    selection,
    selectionOptions,
    isDenied,
    rules,
    ruleProblems: problems,
    readHead: headReader(repository),
    redaction,
    sources: groundSources(hiddenInRepository(repository, redaction), { files: changes.files, isDenied: () => null }),
  };
}

/** What a layer below wrote about a file counts for as little as what the change itself does: nobody merged it. */
function withStackBase(files: readonly ChangedFile[], repository: Repository): Promise<readonly ChangedFile[]> {
  const read = async (file: ChangedFile) => {
    const speaks =
      unreviewable(file) !== null || file.hunks.some(({ lines }) => lines.some((line) => line.includes(marker)));
    if (!speaks) return file;
    const content = await repository.readFile(file.oldPath, 'base');
    const isAbsent = content.kind === 'unreadable' && absent.includes(content.reason);
    return { ...file, stackBase: isAbsent ? null : content.kind === 'text' ? content.text : '' };
  };
  return Promise.all(files.map(read));
}

const absent: readonly UnreadableReason[] = ['missing', 'directory', 'not-fetched'];

/** Every file of the diff; one that was moved with the text that is shown of it. */
function wholeDiff(files: readonly ChangedFile[], { kept, unshown }: Selection): readonly ChangedFile[] {
  const shown = new Map([...kept, ...unshown].map((file) => [file.path, file]));
  return files.map((file) => shown.get(file.path) ?? file);
}

/** Earlier findings at the lines where a rename or a move of this change has brought them. */
export function followChange(memory: Memory, files: readonly ChangedFile[]): Memory {
  return { ...memory, prior: followedAll(memory.prior, files) };
}
