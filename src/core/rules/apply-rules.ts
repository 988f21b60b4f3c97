import { ignoreComments } from './ignore-comments.ts';
import { type CommentFor, notesOnComments, obeyedComments } from './obey-comments.ts';
import { type RanRules, type RuleRun, runRules } from './run-rules.ts';

export type AppliedRules = RanRules & {
  /** For the findings of the model that name a rule. */
  readonly commentFor: CommentFor;
  /** What a person should know of comments that are not obeyed. */
  readonly notes: readonly string[];
};

/** Runs the rules, and obeys the comments `postil-ignore: rule-id reason` that stood in the code before the change. */
export async function applyRules(run: Omit<RuleRun, 'commentFor'>): Promise<AppliedRules> {
  const comments = await ignoreComments(run.files, run.readHead);
  const commentFor = obeyedComments(comments);
  const ruleIds = run.rules.map(({ id }) => id);
  return { ...(await runRules({ ...run, commentFor })), commentFor, notes: notesOnComments(comments, ruleIds) };
}
