import { definitions } from '../core/settings/definitions.ts';
import { defineCommand, directory, directoryIn, flagNames, settingFlag, settingsIn } from './command.ts';
import { readReviewed, subjectFlags } from './review.ts';

/** Of no use to a question: what findings need, how deep reviews are, and files of a review. */
const ofReviews: readonly string[] = ['findings', 'depth', 'written'];
const names = flagNames.filter((name) => name !== 'fail-on' && !ofReviews.includes(definitions[name].group));

export const ask = defineCommand({
  name: 'ask',
  operand: 'QUESTION',
  about: 'Answer a question about your change, or about what the flags of review name.',
  flags: [...subjectFlags, directory, ...names.map(settingFlag)],
  read: (given) => {
    const subject = readReviewed(given);
    if (typeof subject === 'string') return subject;
    if (given.operand === null) return 'ask needs a question, such as postil ask "Which callers does this break?"';
    return { question: given.operand, subject, directory: directoryIn(given), flags: settingsIn(given, names) };
  },
  run: async (asked) => (await import(/* webpackMode: "eager" */ './answer.ts')).answered(asked),
});
