/** What the config file asks of files by their paths. */
export type PathInstruction = { readonly glob: string; readonly instruction: string };

/** Lines such as `src/api/**: Every handler checks the session.`; what cannot be read is left out. */
export function readPathInstructions(lines: readonly string[]): readonly PathInstruction[] {
  return lines.flatMap((one) => parts(one) ?? []);
}

const mostShown = 60;

export function pathInstructionsProblem(lines: readonly string[]): string | null {
  const wrong = lines.find((one) => parts(one) === null);
  if (wrong === undefined) return null;
  const shown = wrong.length > mostShown ? `${wrong.slice(0, mostShown)}…` : wrong;
  return `a glob, a colon and what to look at, such as \`src/api/**: Check the session.\`, which ${JSON.stringify(shown)} is not`;
}

const line = /^(?<glob>[^:]+):\s+(?<instruction>\S.*)$/s;

/** A glob may hold spaces when something else shows that it is one: a sentence with a colon is none. */
function parts(one: string): PathInstruction | null {
  const { glob = '', instruction = '' } = line.exec(one)?.groups ?? {};
  const named = glob.trim();
  if (named === '' || /[\r\n]/.test(named) || (/\s/.test(named) && !/[/*]/.test(named))) return null;
  return { glob: named, instruction: instruction.trim() };
}
