import { dirname } from 'node:path';
import { ctagsOf, type Tag } from './ctags.ts';
import type { SourceText } from './fetch-package.ts';
import { type NameUse, namesIn } from './names-in.ts';
import type { Lines, Oracle, Target } from './oracle.ts';

/**
 * Ctags knows definitions, not which of them a name means. So only names are asked for that leave no choice: defined once in the
 * package, or once in their file when they stand alone or behind `self`. Left out is what is bound in the function itself, members
 * that every library has too, members of others that are not called, and in Python what the file neither imports nor defines.
 */
export async function ctagsOracle(
  folder: string,
  { files, provenance }: { readonly files: readonly SourceText[]; readonly provenance: string },
): Promise<Oracle> {
  const tags = await ctagsOf(
    folder,
    files.map(({ path }) => path),
  );
  const byName = new Map<string, Tag[]>();
  for (const tag of tags) byName.set(tag.name, [...(byName.get(tag.name) ?? []), tag]);
  const lines = new Map(files.map(({ path, text }) => [path, text.split(/\r?\n/)]));

  function targetOf(use: NameUse, path: string): Target | null {
    const all = (byName.get(use.name) ?? []).filter((tag) => canMean(use, tag));
    const here = all.filter((tag) => tag.path === path);
    const near = all.filter((tag) => dirname(tag.path) === dirname(path));
    if (use.behind === 'other' && common.has(use.name)) return null;
    if (use.behind === 'self' && isAssigned(use.name, lines.get(path) ?? [])) return null;
    if (use.behind !== 'other' && here.length === 1) return here[0] ?? null;
    if (path.endsWith('.py') && use.behind === 'nothing' && !isImported(use.name, lines.get(path) ?? [])) return null;
    if (all.length === 1) return all[0] ?? null;
    // A package of Go is a directory.
    return use.behind === 'nothing' && path.endsWith('.go') && near.length === 1 ? (near[0] ?? null) : null;
  }

  function canMean({ behind, called }: NameUse, tag: Tag): boolean {
    if (!tag.path.endsWith('.py')) return true;
    const isTop = /^\S/.test(lines.get(tag.path)?.[tag.line - 1] ?? '');
    if (behind === 'nothing') return isTop;
    return behind === 'self' || called;
  }

  return {
    provenance,
    callers: null,
    bodies: tags.flatMap((tag) => bodyOf(tag, lines.get(tag.path) ?? [])),
    uses: ({ path, start, end }) => {
      const text = lines.get(path) ?? [];
      return namesIn({ lines: text, start, end }).flatMap((use) => {
        const target = targetOf(use, path);
        const inside = target !== null && target.path === path && start <= target.line && target.line <= end;
        return target === null || inside ? [] : [{ path: target.path, line: target.line, name: target.name }];
      });
    },
  };
}

/** Ctags does not know attributes that Python makes by assigning them. */
function isAssigned(name: string, lines: readonly string[]): boolean {
  return new RegExp(`\\bself\\.${name}\\s*(?::[^=\\n]*)?=`).test(lines.join('\n'));
}

/** By name, not as a module. */
function isImported(name: string, lines: readonly string[]): boolean {
  return new RegExp(`^from\\s+[\\w.]+\\s+import\\s+(?:\\([^)]*)?[^\\n]*?\\b${name}\\b`, 'm').test(lines.join('\n'));
}

const callable = new Set(['function', 'func', 'method', 'member', 'singletonMethod']);

function bodyOf({ path, kind, line, end }: Tag, lines: readonly string[]): readonly Lines[] {
  if (!callable.has(kind)) return [];
  const head = lines[line - 1] ?? '';
  const last = end ?? endOf(lines, line);
  // A head of several lines is a choice for others.
  if (last === null || !/[{:)]\s*$/.test(head)) return [];
  const isPython = path.endsWith('.py');
  return [{ path, start: line + 1, end: isPython ? last : last - 1 }];
}

/** The line that closes a definition, in formatted code: a brace below its first letter. */
function endOf(lines: readonly string[], line: number): number | null {
  const indent = /^\s*/.exec(lines[line - 1] ?? '')?.[0] ?? '';
  const close = lines.findIndex((text, at) => at >= line && text.startsWith(`${indent}}`));
  return close === -1 ? null : close + 1;
}

const common = new Set(
  'add all any append apply call clear clone close collect contains copy count create data delete each empty end equals error exists extend filter find first flush format from get has hash index insert into is_empty isEmpty items iter join key keys last len length line list lower map match name new next open options parse path pop process push put read remove replace reset result run search send set size sort split start startswith status stop string strip sub submit substring test text then to_s toString trim type update upper url value values write'.split(
    ' ',
  ),
);
