import { checkPath } from '../src/core/repository/path.ts';
import { exactly, type Infer, type Parsed, parserFor } from '../src/core/schema.ts';
import { readYaml } from '../src/core/settings/config-file.ts';
import { nearest, severities } from '../src/core/settings/setting.ts';

const text = { type: 'string' } as const;
const texts = { type: 'object', additionalProperties: text } as const;

const goldenSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['path', 'lines', 'description'],
  properties: {
    path: { ...text, description: 'As at head.' },
    lines: {
      type: ['string', 'integer', 'array'],
      items: { type: ['string', 'integer', 'null'] },
      description:
        '`12` or `12-15`, at head, 1-based. With `pushes` a list of one for each push, null where it is not there.',
    },
    severity: { enum: severities },
    description: { ...text, description: 'The defect in a sentence: what happens, and when.' },
  },
} as const;

const caseSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    title: { ...text, description: 'The message of the commit that is reviewed.' },
    language: text,
    repository: { ...text, description: 'A folder beside the case: with `base/` and `head/`, or in a git repository.' },
    base: { type: ['string', 'object'], additionalProperties: text },
    head: { type: ['string', 'object'], additionalProperties: { type: ['string', 'null'] } },
    patch: { ...text, description: 'A unified diff on top of `base`, or the name of a file that holds one.' },
    pushes: {
      type: 'array',
      maxItems: 9,
      items: { type: ['string', 'object'], additionalProperties: { type: ['string', 'null'] } },
      description:
        'What came after `head`, or after `patch`, written as that is. Texts lie on top of those of the push before.',
    },
    clean: { type: 'boolean' },
    goldens: { type: 'array', maxItems: 50, items: goldenSchema },
    draft: { type: 'boolean', description: 'Not run until somebody completed it.' },
    proof: exactly({ run: text, files: texts }),
  },
} as const;

type CaseFile = Infer<typeof caseSchema>;

const parseCaseFile = parserFor(caseSchema);

/** Where the two trees of a case come from. */
export type CaseSource =
  | { readonly kind: 'texts'; readonly base: Texts; readonly head: Readonly<Record<string, string | null>> }
  /** A folder that holds `base` and the folder of the head. */
  | { readonly kind: 'folder'; readonly folder: string; readonly head: string }
  | { readonly kind: 'git'; readonly folder: string; readonly base: string; readonly head: string }
  | { readonly kind: 'patch'; readonly base: Texts | string; readonly patch: string; readonly inFile: boolean };

export type Texts = Readonly<Record<string, string>>;

/** A defect that the change is known to have. */
export type Golden = {
  /** Its position in the file of the case, from 1: the same defect at every push. */
  readonly number: number;
  readonly path: string;
  readonly start: number;
  readonly end: number;
  readonly severity: (typeof severities)[number] | null;
  readonly description: string;
};

/** What one review is about. */
type Push = {
  readonly source: CaseSource;
  /** Known defects at its head; empty for a clean change. */
  readonly goldens: readonly Golden[];
};

/** With its first push. */
export type EvalCase = Push & {
  /** Name of its file, without the ending. */
  readonly name: string;
  readonly title: string;
  readonly language: string;
  /** Later ones. */
  readonly pushes: readonly Push[];
  readonly draft: boolean;
  /** A test that fails at head where there is a defect. The reviewer does not see it. */
  readonly proof: { readonly run: string; readonly files: Texts } | null;
};

/** Reads the file of a case. Each problem names the file and the key. Never throws. */
export function parseCase({ path, name, text }: { path: string; name: string; text: string }): Parsed<EvalCase> {
  const problems: string[] = [];
  const refused = () =>
    ({ ok: false, problems: [...new Set(problems)].map((problem) => `${path}: ${problem}`) }) as const;
  const { values, faults } = readYaml(text);
  problems.push(...faults.slice(0, 3).map((fault) => `line ${fault.line}: ${fault.text}.`));
  if (problems.length > 0) return refused();
  const parsed = parseCaseFile(values);
  if (!parsed.ok) {
    problems.push(...parsed.problems.slice(0, 5).map(withGuess));
    return refused();
  }
  const { title = name, language = '', draft = false, proof = null } = parsed.value;
  const sources = sourcesOf(parsed.value);
  if (typeof sources === 'string') problems.push(sources);
  problems.push(...pathProblems(parsed.value), ...expectationProblems(parsed.value));
  const pushCount = 1 + (parsed.value.pushes ?? []).length;
  const [goldens = [], ...laterGoldens] = Array.from({ length: pushCount }, (_, push) =>
    (parsed.value.goldens ?? []).flatMap((written, index) => {
      const golden = goldenOf(written, { number: index + 1, push, pushCount });
      if (typeof golden !== 'string') return golden ?? [];
      const problem: string = golden;
      problems.push(`goldens.${index}.${problem}`);
      return [];
    }),
  );
  if (problems.length > 0 || typeof sources === 'string') return refused();
  const [source, ...later] = sources;
  const pushes = later.map((source, index) => ({ source, goldens: laterGoldens[index] ?? [] }));
  return { ok: true, value: { name, title, language, source, goldens, pushes, draft, proof } };
}

function withGuess(problem: string): string {
  const unknown = /^the value has an unknown property "(.*)"$/.exec(problem)?.[1];
  const guess = unknown === undefined ? null : nearest(unknown, Object.keys(caseSchema.properties));
  if (problem === 'the value must be object') return 'it is no mapping of keys to values.';
  return guess === null ? `${problem}.` : `${problem}; did you mean ${guess}?`;
}

const sources =
  'name what is reviewed: base and head as texts, base and patch, repository alone, or repository with the revisions base and head.';

/** A string is the problem. */
function sourceOf({ repository, base, head, patch }: CaseFile): CaseSource | string {
  if (repository !== undefined) {
    if (patch !== undefined) return `repository: it does not go with patch; ${sources}`;
    if (base === undefined && head === undefined) return { kind: 'folder', folder: repository, head: 'head' };
    if (typeof base === 'string' && typeof head === 'string') return { kind: 'git', folder: repository, base, head };
    return `repository: with it base and head are both revisions; ${sources}`;
  }
  if (base === undefined) return `base: it is missing; ${sources}`;
  if (patch !== undefined) {
    if (head !== undefined) return 'head: patch says the same; leave one of them out.';
    return { kind: 'patch', base, patch, inFile: !patch.trim().includes('\n') };
  }
  if (typeof base === 'string' || typeof head !== 'object') return `head: ${sources}`;
  return { kind: 'texts', base, head };
}

/** Of the first push and of each that came after it. A string is the problem. */
function sourcesOf(file: CaseFile): readonly [CaseSource, ...CaseSource[]] | string {
  const first = sourceOf(file);
  if (typeof first === 'string') return first;
  const later: CaseSource[] = [];
  for (const [index, push] of (file.pushes ?? []).entries()) {
    const source = pushedTo(later.at(-1) ?? first, push);
    if (source === null) return `pushes.${index}: write it as head or patch is written.`;
    later.push(source);
  }
  return [first, ...later];
}

function pushedTo(source: CaseSource, push: NonNullable<CaseFile['pushes']>[number]): CaseSource | null {
  if (source.kind === 'texts') {
    return typeof push === 'string' ? null : { ...source, head: { ...source.head, ...push } };
  }
  if (typeof push !== 'string') return null;
  if (source.kind === 'patch') return { ...source, patch: push, inFile: !push.trim().includes('\n') };
  return { ...source, head: push };
}

/** What no tree can hold: paths that leave it, and git's own folder, which would bring hooks and a configuration. */
function pathProblems({ base, head, pushes = [] }: CaseFile): readonly string[] {
  const trees = { base, head, ...Object.fromEntries(pushes.map((push, index) => [`pushes.${index}`, push])) };
  return Object.entries(trees).flatMap(([key, files]) =>
    Object.keys(typeof files === 'object' ? files : {}).flatMap((path) => {
      const problem = treePathProblem(path);
      return problem === null ? [] : `${key}.${path}: ${problem}.`;
    }),
  );
}

/** Why a tree cannot hold a path; null when it can. */
export function treePathProblem(path: string): string | null {
  const checked = checkPath(path);
  if (!checked.ok) return checked.reason;
  return checked.path === path && path !== '' ? null : 'write it without `.` and empty parts';
}

function expectationProblems({ clean = false, goldens = [], draft = false }: CaseFile): readonly string[] {
  if (draft || clean !== goldens.length > 0) return [];
  return [
    clean
      ? 'clean: a clean change has no goldens; leave one of them out.'
      : 'goldens: say what is to be found, or clean: true.',
  ];
}

type Occurrence = { readonly number: number; readonly push: number; readonly pushCount: number };

/** At one push; null where it is not there. A string is the problem. */
function goldenOf(
  { path, lines: written, severity, description }: NonNullable<CaseFile['goldens']>[number],
  { number, push, pushCount }: Occurrence,
): Golden | string | null {
  if (typeof written === 'object' && written.length !== pushCount) {
    return `lines: ${written.length} places for ${pushCount} heads; write null for a push where it is not there.`;
  }
  const lines = typeof written === 'object' ? (written[push] ?? null) : written;
  if (lines === null) return null;
  const [, from = '', to = from] = /^(\d{1,7})(?:-(\d{1,7}))?$/.exec(String(lines)) ?? [];
  const [start, end] = [Number(from), Number(to)];
  if (start < 1 || end < start) return `lines: ${JSON.stringify(lines)} is no place; write 12 or 12-15.`;
  if (treePathProblem(path) !== null) return `path: ${JSON.stringify(path)} is no path inside the repository.`;
  return { number, path, start, end, severity: severity ?? null, description };
}
