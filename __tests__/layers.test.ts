import { globSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';

/** From the ground up. A file belongs to the longest name that begins its path; it imports its own room and lower floors. */
const floors: readonly (readonly string[])[] = [
  [
    'core/errors.ts',
    'core/text.ts',
    'core/bounded.ts',
    'core/schema.ts',
    'core/markdown.ts',
    'core/port.ts',
    'core/release.ts',
  ],
  ['core/codec.ts', 'core/messages/'],
  ['core/addresses.ts'],
  ['core/agent/', 'core/secrets/'],
  ['core/repository/'],
  ['core/pull-request/'],
  ['core/settings/', 'core/images/'],
  ['core/languages/'],
  ['core/findings/', 'core/context/'],
  ['core/rules/', 'core/history/', 'core/knowledge/'],
  ['core/team/', 'core/batches/', 'core/tools/'],
  ['core/review/'],
  ['core/events.ts'],
  ['core/reviewing/'],
  ['core/answering/'],
  ['core/review-pull-request.ts'],
  ['core/answer-request.ts'],
  ['core/report/'],
  ['core/handover/'],
  ['core/transcript/'],
  // Each of its own, a new one too.
  readdirSync(new URL('../src/adapters/', import.meta.url)).map((name) => `adapters/${name}/`),
  ['run/'],
  ['cli/'],
  // Beside its cases, at the root of the repository.
  ['../eval/'],
  [''],
];

/** Packages that one room alone may import. Core decides and takes ports; an adapter brings its own SDK. */
const packages: readonly { readonly name: RegExp; readonly rooms: RegExp }[] = [
  { name: /^@actions\/core/, rooms: /^(?:adapters\/actions\/|run\/)/ },
  { name: /^@actions\/github|^@octokit\//, rooms: /^adapters\/github\// },
  { name: /^@actions\/exec/, rooms: /^adapters\/git\// },
  { name: /^@modelcontextprotocol\//, rooms: /^adapters\/mcp\// },
  { name: /^openai/, rooms: /^adapters\/openai\// },
  { name: /^node:/, rooms: /^(?!core\/)/ },
];

describe('the floors of src and eval', () => {
  it('lead down: no file imports its own floor or a higher one outside its room', () => {
    expect(imports().filter(({ from, to }) => to.endsWith('.ts') && !leadsDown(from, to))).toEqual([]);
  });

  it('let each SDK and built-in into its own rooms alone', () => {
    const astray = ({ from, to }: Import) => packages.some(({ name, rooms }) => name.test(to) && !rooms.test(from));
    expect(imports().filter(astray)).toEqual([]);
  });

  it('hold at most 22 files a folder', () => {
    const folders = sources().map((path) => posix.dirname(path));
    const isFull = (folder: string) => folders.filter((other) => other === folder).length > 22;
    expect([...new Set(folders)].filter(isFull)).toEqual([]);
  });
});

type Import = { readonly from: string; readonly to: string };

function leadsDown(from: string, to: string): boolean {
  const [upper, lower] = [roomOf(from), roomOf(to)];
  return upper.name === lower.name || lower.floor < upper.floor;
}

function roomOf(path: string): { readonly floor: number; readonly name: string } {
  const rooms = floors.flatMap((names, floor) =>
    names.filter((name) => path.startsWith(name)).map((name) => ({ floor, name })),
  );
  return rooms.reduce((best, room) => (room.name.length > best.name.length ? room : best));
}

function imports(): readonly Import[] {
  const pattern =
    /^(?:import|export)\b[^;]*?from '([^']+)'|\bimport\((?:\/\*.*?\*\/\s*)?'([^']+)'\)|^import '([^']+)'/gm;
  return sources().flatMap((from) =>
    [...readFileSync(new URL(`../src/${from}`, import.meta.url), 'utf8').matchAll(pattern)].map((match) => {
      const spec = match[1] ?? match[2] ?? match[3] ?? '';
      const to = spec.startsWith('.') ? posix.join(posix.dirname(from), spec) : spec;
      return { from, to: to.replace(/^\.\.\/src\//, '') };
    }),
  );
}

/** From `src/` on. */
function sources(): readonly string[] {
  const cwd = new URL('../src/', import.meta.url);
  return globSync(['**/*.ts', '../eval/**/*.ts'], { cwd }).map((path) => path.replaceAll('\\', '/'));
}
