import type { Finding } from '../findings/finding.ts';
import { english, type Say } from '../words/say.ts';
import { builtInRules } from './built-in-rules.ts';

/** A finding, or the mark of one. */
type Titled = Pick<Finding, 'ruleId' | 'title' | 'source'>;

/** The title in a language; of a model's finding, and of a rule of the team's own, as it was written: by that a finding is known again. */
export function titleIn(finding: Titled, say: Say = english): string {
  const { title, ruleId, source } = finding;
  return textsOf(finding, say)?.title ?? (source === 'rule' && ruleId === null ? say.of(title) : title);
}

/** What it says, likewise; a paragraph that Postil put behind it is its own. */
export function reviewIn(finding: Finding, say: Say = english): string {
  const { review, source, ruleId } = finding;
  if (say === english) return review;
  const { guidance = '' } = builtInRules.find(({ id }) => id === ruleId) ?? {};
  const texts = textsOf(finding, say);
  return review
    .split('\n\n')
    .map((paragraph) => {
      if (paragraph === guidance && texts !== undefined) return texts.review;
      const isOurs = (source === 'rule' && ruleId === null) || paragraph.startsWith('Declined by @');
      return isOurs ? say.of(paragraph) : paragraph;
    })
    .join('\n\n');
}

/** A team may have a rule of the same id: then it is theirs, and so is its title. A model may name a rule and says it in its own words. */
function textsOf({ source, ruleId, title }: Titled, { rules }: Say) {
  const rule = source === 'model' ? undefined : builtInRules.find(({ id }) => id === ruleId);
  return rule?.title === title ? rules[rule.id] : undefined;
}
