import type { FileSyntax, Syntax } from '../../core/context/syntax.ts';
import { type Language, languageFor } from './languages.ts';
import { type Job, ParserThread } from './parser-thread.ts';
import { builtSyntaxFiles, type SyntaxFiles } from './syntax-files.ts';

export type OpenSyntax = Syntax & {
  /** Ends the thread that parses. Never rejects. */
  close(): Promise<void>;
};

/** So many texts may break the parser; each costs a new thread. */
const maxBreaks = 5;

/**
 * Parses with tree-sitter in a thread of its own, which starts and loads grammars when the first file of a language comes.
 * What cannot be loaded, or breaks again and again, is reported once through `onProblem` and not tried any more.
 */
export function openSyntax(options: {
  readonly onProblem: (text: string) => void;
  readonly files?: SyntaxFiles;
}): OpenSyntax {
  const thread = new ParserThread(options.files ?? builtSyntaxFiles());
  const unavailable = new Set<string>();
  let breaks = 0;
  let last: Promise<unknown> = Promise.resolve();

  async function parse(job: Job, { grammar }: Language): Promise<FileSyntax | null> {
    if (unavailable.has(grammar) || breaks >= maxBreaks) return null;
    const answer = await thread.ask(job);
    if (answer.kind === 'parsed') return answer.syntax;
    if (answer.kind === 'unavailable') {
      unavailable.add(grammar);
      options.onProblem(`${grammar} cannot be parsed, so its files are read line by line. ${answer.reason}`);
      return null;
    }
    breaks += 1;
    if (breaks === maxBreaks) {
      options.onProblem(`The parser broke ${maxBreaks} times, so files are read line by line. ${answer.reason}`);
    }
    return null;
  }

  return {
    languageOf: (path) => languageFor(path)?.name ?? null,
    parse: async ({ path, text }, { milliseconds }) => {
      const language = languageFor(path);
      if (language === null) return null;
      const before = last;
      const parsed = (async () => {
        await before;
        return parse({ path, text, milliseconds }, language);
      })();
      last = parsed.catch(() => undefined);
      return parsed;
    },
    close: () => thread.close(),
  };
}
