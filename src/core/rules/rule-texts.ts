import type { Finding } from '../findings/finding.ts';
import { inEnglish } from '../messages/languages.ts';
import type { Message } from '../messages/message.ts';
import type { Translator } from '../messages/translator.ts';
import { builtInRules } from './built-in-rules.ts';

/** A finding, or the mark of one. */
type Titled = Pick<Finding, 'ruleId' | 'title' | 'path' | 'source'>;

/** Translates the title of a built-in rule, and of a broken file of ours. Findings of models and of a team's rules keep theirs: they are known by it. */
export function titleIn(finding: Titled, t: Translator = inEnglish): string {
  if (finding.source === 'rule' && finding.ruleId === null) return t(brokenTitle(finding.path));
  return textsOf(finding, t)?.title ?? finding.title;
}

/** Names what is broken: a config file, or a rule, which is a page. */
export function brokenTitle(path: string): Message {
  return { code: path.endsWith('.md') ? 'broken.rule-title' : 'broken.config-title' };
}

/** Translates what a finding says, where Postil wrote it. */
export function reviewIn(finding: Finding, t: Translator = inEnglish): string {
  return withNote(ownReview(finding, t), finding, t);
}

/** What a finding says, in English, with its note. */
export function reviewInEnglish(finding: Pick<Finding, 'review' | 'note'>): string {
  return withNote(finding.review, finding, inEnglish);
}

function withNote(review: string, { note }: Pick<Finding, 'note'>, t: Translator): string {
  return note === undefined ? review : `${review}\n\n${t(note)}`;
}

function ownReview(finding: Finding, t: Translator): string {
  const { review, reviewMessages, ruleId } = finding;
  if (reviewMessages !== undefined) return t.sentences(reviewMessages);
  const { guidance } = builtInRules.find(({ id }) => id === ruleId) ?? {};
  return review === guidance ? (textsOf(finding, t)?.review ?? review) : review;
}

/** A team may have a rule of the same id: then it is theirs, and so is its title. A model may name a rule and says it in its own words. */
function textsOf({ source, ruleId, title }: Titled, { rules }: Translator) {
  const rule = source === 'model' ? undefined : builtInRules.find(({ id }) => id === ruleId);
  return rule?.title === title ? rules[rule.id] : undefined;
}
