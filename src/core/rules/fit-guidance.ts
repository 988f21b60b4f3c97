import { linearGlob } from '../repository/linear-glob.ts';
import { firstLines } from '../repository/whole-lines.ts';
import type { PathInstruction } from '../settings/path-instructions.ts';
import { guidanceCharacters } from './guidance-files.ts';
import type { Rule } from './rule.ts';
import { rulesFor } from './rules-for.ts';

export type Asked = {
  readonly rules: readonly Rule[];
  readonly pathInstructions: readonly PathInstruction[];
};

export type FittedGuidance = Asked & {
  /** What a person should know of what was cut or left out, one sentence each. */
  readonly problems: readonly string[];
};

/**
 * What the repository's own rules and instructions by path may say beside the guidance files, which leave `left` characters: those that are
 * about a changed file, rules before instructions, each in its own order. The last rule that has room is cut; what has none is left out.
 */
export function fitGuidance(
  { rules, pathInstructions }: Asked,
  { changedPaths, left }: { readonly changedPaths: readonly string[]; readonly left: number },
): FittedGuidance {
  const own = rulesFor(rules, changedPaths).filter(({ origin }) => origin === 'repository');
  const fitted = fitRules(own, left);
  const asked = pathInstructions.filter(({ glob }) => changedPaths.some(linearGlob(glob)));
  const instructions = fitInstructions(asked, fitted.left);
  const missing = asked.length - instructions.length;
  const leftOut = missing === 0 ? [] : [`${missing} of ${asked.length} path instructions are left out: ${reason}.`];
  return { rules: fitted.rules, pathInstructions: instructions, problems: [...fitted.problems, ...leftOut] };
}

const reason = `all guidance together has at most ${guidanceCharacters} characters`;

function fitRules(rules: readonly Rule[], room: number) {
  const kept: Rule[] = [];
  const problems: string[] = [];
  const leftOut: string[] = [];
  let left = room;
  for (const rule of rules) {
    const text = rule.guidance.trim();
    const own = left - rule.title.length;
    left = Math.max(0, own - text.length);
    if (own <= 0) leftOut.push(rule.id);
    else kept.push({ ...rule, guidance: firstLines(text, own) });
    if (own > 0 && own < text.length) problems.push(`The guidance of the rule ${rule.id} is cut: ${reason}.`);
  }
  if (leftOut.length > 0) problems.push(`The guidance of the rules ${leftOut.join(', ')} is left out: ${reason}.`);
  return { rules: kept, problems, left };
}

function fitInstructions(instructions: readonly PathInstruction[], room: number): readonly PathInstruction[] {
  let left = room;
  return instructions.filter(({ glob, instruction }) => {
    left -= glob.length + instruction.length;
    return left >= 0;
  });
}
