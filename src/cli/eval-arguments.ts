import { parseArgs } from 'node:util';
import { definitions, isSettingName, type SettingName } from '../core/settings/definitions.ts';
import type { Layer } from '../core/settings/parse-settings.ts';
import { type Definition, nearest } from '../core/settings/setting.ts';

/** What a person asked of `postil eval`. */
export type EvalRunCommand = {
  readonly kind: 'eval';
  /** A folder of cases, or one of them. */
  readonly cases: string;
  /** Config files; null is what Postil does without one. */
  readonly config: string | null;
  /** Null: nothing is compared. */
  readonly against: string | null;
  readonly answers: 'model' | 'record' | 'replay';
  /** Null: each beside its case. */
  readonly cassettes: string | null;
  /** Empty: the place alone decides. */
  readonly judgeModel: string;
  /** Lines that a finding may lie beside a golden. */
  readonly tolerance: number;
  /** Cases that are reviewed at the same time. */
  readonly jobs: number;
  readonly format: 'text' | 'json';
  /** Empty: no page is written. */
  readonly reportHtml: string;
  /** Settings of every review. */
  readonly flags: Readonly<Record<string, string>>;
};

/** What a person asked of `postil eval init`. */
export type EvalInitCommand = {
  readonly kind: 'eval-init';
  /** Where the drafts are written: a folder of the repository. */
  readonly cases: string;
  /** Null: the whole history. */
  readonly since: string | null;
  /** Drafts, at most. */
  readonly max: number;
};

export type EvalCommand = EvalRunCommand | EvalInitCommand;

/** What the process around it has. */
export type EvalSurroundings = {
  /** Empty where there is none. */
  readonly apiKey: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Settings of the environment. */
  readonly layer: Layer;
  readonly signal: AbortSignal;
  readonly print: (text: string) => void;
  /** Progress, a line each. */
  readonly say: (text: string) => void;
};

type Usage = { readonly kind: 'usage'; readonly problems: readonly string[] };

/** Where cases are when nobody says. */
const usualFolder = 'eval/cases';

const flags = {
  config: { needs: 'a config file', allowed: /./ },
  against: { needs: 'a config file', allowed: /./ },
  cassettes: { needs: 'a folder', allowed: /./ },
  'judge-model': { needs: 'a model', allowed: /./ },
  tolerance: { needs: 'a number of lines from 0 to 100', allowed: /^(?:\d{1,2}|100)$/ },
  jobs: { needs: 'a number from 1 to 16', allowed: /^(?:[1-9]|1[0-6])$/ },
  format: { needs: 'text or json', allowed: /^(?:text|json)$/ },
  'report-html': { needs: 'a file', allowed: /./ },
} as const;

const initFlags = {
  since: { needs: 'a revision', allowed: /^[^-]/ },
  max: { needs: 'a number from 1 to 200', allowed: /^(?:[1-9]\d?|1\d\d|200)$/ },
} as const;

/** Files of one review: there are many here, and each would overwrite the one before. */
export const filesOfOne: readonly string[] = [
  'report-file',
  'report-html',
  'sarif-file',
  'progress-file',
  'transcript-file',
  'review-file',
  'config',
];

/** Reads what stands behind `eval`. Each problem names the argument and what is allowed. */
export function readEval(
  args: readonly string[],
  settingFlags: readonly string[],
): EvalCommand | Usage | { kind: 'help'; of: 'eval' } {
  const isInit = args[0] === 'init';
  const settings = isInit ? [] : settingFlags.filter((name) => name !== 'fail-on' && !filesOfOne.includes(name));
  const known: Readonly<Record<string, { needs: string; allowed: RegExp }>> = isInit ? initFlags : flags;
  const switches = isInit ? ['from-fixes', 'help'] : ['record', 'replay', 'help'];
  const { values, positionals, tokens } = parseArgs({
    args: [...(isInit ? args.slice(1) : args)],
    allowPositionals: true,
    strict: false,
    tokens: true,
    options: Object.fromEntries([
      ...[...Object.keys(known), ...settings].map((name) => [name, { type: 'string' } as const] as const),
      ...switches.map((name) => [name, { type: 'boolean' } as const] as const),
    ]),
  });
  if (values['help'] === true) return { kind: 'help', of: 'eval' };
  const command = isInit ? 'eval init' : 'eval';
  const names = [...Object.keys(known), ...switches, ...settings];
  const problems = tokens.flatMap((token) => {
    if (token.kind !== 'option') return [];
    const { name, rawName, value } = token;
    const rule = known[name];
    if (rule !== undefined) return rule.allowed.test(value ?? '') ? [] : [`'${rawName}' needs ${rule.needs}.`];
    if (switches.includes(name)) return value === undefined ? [] : [`'${rawName}' takes no value.`];
    if (isSettingName(name) && settings.includes(name)) return value === undefined ? [settingWithoutValue(name)] : [];
    const guess = nearest(name, names);
    return [`${command} does not take '${rawName}'${guess === null ? '' : `; did you mean '--${guess}'?`}`];
  });
  if (positionals.length > 1) problems.push(`'${positionals.slice(1).join(' ')}' is one argument too many.`);
  const text = (name: string) => (typeof values[name] === 'string' ? values[name] : null);
  if (isInit && values['from-fixes'] !== true) problems.push("eval init needs '--from-fixes'.");
  if (values['record'] === true && values['replay'] === true) {
    problems.push("'--record' and '--replay' contradict each other: give one of them.");
  }
  if (text('config') !== null && text('config') === text('against')) {
    problems.push("'--against' names the file of '--config': nothing would differ.");
  }
  if (problems.length > 0) return { kind: 'usage', problems };
  const cases = positionals[0] ?? usualFolder;
  if (isInit) return { kind: 'eval-init', cases, since: text('since'), max: Number(text('max') ?? 20) };
  return {
    kind: 'eval',
    cases,
    config: text('config'),
    against: text('against'),
    answers: values['record'] === true ? 'record' : values['replay'] === true ? 'replay' : 'model',
    cassettes: text('cassettes'),
    judgeModel: text('judge-model') ?? '',
    tolerance: Number(text('tolerance') ?? 3),
    jobs: Number(text('jobs') ?? 2),
    format: text('format') === 'json' ? 'json' : 'text',
    reportHtml: text('report-html') ?? '',
    flags: Object.fromEntries(settings.flatMap((name) => (text(name) === null ? [] : [[name, text(name) ?? '']]))),
  };
}

/** Says what a value could be; with the description where no example stands for it. */
export function settingWithoutValue(name: SettingName): string {
  const example = exampleOf(definitions[name]);
  const help = example === '' ? `. ${definitions[name].description}` : `, such as --${name}=${example}.`;
  return `'--${name}' needs a value${help}`;
}

/** Empty where nothing but the description says what is meant. */
function exampleOf({ choices, default: initial = '', minimum, description }: Definition): string {
  if (description.includes('globs') && initial === '') return "'src/**'";
  return choices?.[0] ?? (initial.split('\n')[0] || String(minimum ?? ''));
}
