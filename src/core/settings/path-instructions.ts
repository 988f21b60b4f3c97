/** What the config file asks of files by their paths. */
export type PathInstruction = { readonly glob: string; readonly instruction: string };

const line = /^(?<glob>[^\s:]+)\s*:\s+(?<instruction>\S.*)$/s;

/** Lines such as `src/api/**: Every handler checks the session.`; what cannot be read is left out. */
export function readPathInstructions(lines: readonly string[]): readonly PathInstruction[] {
  return lines.flatMap((one) => {
    const { glob, instruction } = line.exec(one)?.groups ?? {};
    return glob === undefined || instruction === undefined ? [] : [{ glob, instruction: instruction.trim() }];
  });
}

export function pathInstructionsProblem(lines: readonly string[]): string | null {
  return lines.every((one) => line.test(one))
    ? null
    : 'a glob, a colon and what to look at, such as `src/api/**: Check the session.`';
}
