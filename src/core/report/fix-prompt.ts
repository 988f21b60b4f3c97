import type { PlacedFinding } from '../findings/finding.ts';
import { type Block, fold } from './blocks.ts';
import { cleanCode } from './sanitise-phrasing.ts';
import { characters, cutText } from './text.ts';
import { groups, placeOf, type RenderContext } from './wording.ts';

/** All findings for an agent that is to fix them: plain text, which nothing executes. */
export function fixPrompt(findings: readonly PlacedFinding[]): string {
  const texts = findings.map((finding, index) => {
    const { severity, title, review, suggestion } = finding;
    const fix = suggestion === null ? '' : `\nSuggested instead of these lines:\n${suggestion}`;
    return `${index + 1}. ${placeOf(finding)} (${severity}): ${title.trim().replace(/\s+/g, ' ')}\n${review.trim()}${fix}`;
  });
  return `Fix these findings of a code review. Check each against the code first; say which you did not fix, and why.\n\n${texts.join('\n\n')}`;
}

const promptFindings = 50;
const fewestCharacters = 500;

/** The prompt with every open finding as a fold of at most so many characters; nothing when it does not fit, or nothing is open. */
export function foldedPrompt(
  placed: readonly PlacedFinding[],
  { redact, max }: Pick<RenderContext, 'redact'> & { max: number },
): readonly Block[] {
  const { open } = groups(placed);
  if (open.length === 0 || max < fewestCharacters) return [];
  const prompt = cleanCode(fixPrompt(open.slice(0, promptFindings)), redact);
  const room = max - fewestCharacters / 2;
  const isCut = prompt.length > room || open.length > promptFindings;
  const note = isCut ? '\n… (cut: the job summary and the report hold all findings)' : '';
  const text = `${cutText(prompt, { max: room - note.length, measure: characters })}${note}`;
  return fold('Fix with an agent', [{ kind: 'code', text }]);
}
