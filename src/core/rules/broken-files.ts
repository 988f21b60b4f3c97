import { pageMessage } from '../addresses.ts';
import type { Finding } from '../findings/finding.ts';
import { inEnglish } from '../messages/languages.ts';
import { type Message, verbatim } from '../messages/message.ts';
import type { ChangedFile } from '../pull-request/changed-file.ts';
import type { FileContent, Repository } from '../repository/repository.ts';
import { shown, splitLines } from '../repository/shown.ts';
import { configFaults, type Fault } from '../settings/config-file.ts';
import { definitions } from '../settings/definitions.ts';
import { ownConfigOf } from '../settings/shared-config.ts';
import { exampleFaults, isRuleFile } from './load-rules.ts';
import { disabledRule, parseRule } from './parse-rule.ts';
import { brokenTitle } from './rule-texts.ts';

/**
 * What a pull request breaks in the config file and the rules: a review reads them at the base, so the fault shows itself after merging, in
 * the runs of others. A fault that stood there before is not reported again.
 */
export async function brokenFiles(change: {
  repository: Repository;
  files: readonly ChangedFile[];
  /** The setting that names the config file. */
  config: string;
  nextId: () => string;
  /** Takes out of a line what no quote may show. */
  hide: (text: string) => string;
}): Promise<readonly Finding[]> {
  const { repository, files, nextId, hide } = change;
  const config = ownConfigOf(change.config);
  const findings: Finding[] = [];
  for (const file of files) {
    const { path, oldPath, status } = file;
    if (findings.length >= maxFindings) break;
    if (takesAway(file, config))
      findings.push(findingOf(goneFault, { path, kind: configFile, quote: null, id: nextId() }));
    const kind = path === config ? configFile : isRuleFile(path) ? ruleFile : null;
    if (kind === null || status === 'deleted') continue;
    const [head, base] = await Promise.all([repository.readFile(path, 'head'), repository.readFile(oldPath, 'base')]);
    if (head.kind !== 'text') {
      const fault = unreadFault(head);
      if (oldPath !== path || status === 'added' || base.kind === 'text')
        findings.push(findingOf(fault, { path, kind, quote: null, id: nextId() }));
      continue;
    }
    const before = base.kind === 'text' && oldPath === path ? kind.faults(base.text, path).map(({ text }) => text) : [];
    const faults = kind.faults(head.text, path).filter(({ text }) => !before.includes(text));
    const lines = shown(splitLines(head.text).map(hide));
    for (const fault of faults.slice(0, maxOfFile)) {
      const line = Math.min(fault.line, Math.max(1, lines.length));
      findings.push(findingOf({ ...fault, line }, { path, kind, quote: lines[line - 1]?.text ?? '', id: nextId() }));
    }
  }
  return findings;
}

/** The usual config file may be missing; one that an input names must be there. */
function takesAway({ path, oldPath, status }: ChangedFile, config: string): boolean {
  if (config === definitions.config.default || oldPath !== config) return false;
  return status === 'deleted' || (status === 'renamed' && path !== config);
}

const goneFault: Fault = { line: 1, column: 1, text: inEnglish({ code: 'broken.gone' }) };

function unreadFault(content: Exclude<FileContent, { readonly kind: 'text' }>): Fault {
  const found = content.kind === 'symlink' ? 'a symbolic link' : content.reason;
  return { line: 1, column: 1, text: inEnglish({ code: 'broken.not-text', found }) };
}

const maxFindings = 20;
const maxOfFile = 5;

type Kind = {
  /** What happens after merging. */
  readonly after: 'broken.run-fails' | 'broken.run-warns';
  readonly advice: Message;
  readonly severity: Finding['severity'];
  readonly faults: (text: string, path: string) => readonly Fault[];
};

const configFile: Kind = {
  after: 'broken.run-fails',
  advice: { code: 'broken.config-advice', page: pageMessage('inputs.md') },
  severity: 'critical',
  faults: configFaults,
};

const ruleFile: Kind = {
  after: 'broken.run-warns',
  advice: { code: 'broken.rule-advice' },
  severity: 'warning',
  faults: (text, path) => {
    if (disabledRule(text) !== null) return [];
    const parsed = parseRule({ path, text, origin: 'repository' });
    if (!parsed.ok) return parsed.faults;
    const lines = splitLines(text);
    return exampleFaults(parsed.rule).map(({ text: problem, example }) => {
      const first = example.text.split('\n', 1)[0] ?? '';
      const line = lines.findLastIndex((one) => one.includes(first)) + 1;
      return { line: Math.max(1, line), column: 1, text: problem };
    });
  },
};

function findingOf(
  { line, column, text, hint }: Fault,
  {
    path,
    kind,
    quote,
    id,
  }: {
    path: string;
    kind: Kind;
    /** Null where there is no line to point at. */
    quote: string | null;
    id: string;
  },
): Finding {
  const reviewMessages: readonly Message[] = [
    { code: kind.after, why: text },
    hint === undefined ? kind.advice : verbatim(hint),
  ];
  return {
    id,
    path,
    anchor: quote === null ? { kind: 'file' } : { kind: 'lines', side: 'RIGHT', startLine: line, endLine: line, quote },
    title: inEnglish(brokenTitle(path)),
    review: inEnglish.sentences(reviewMessages),
    reviewMessages,
    evidence: `Postil read the file at the head of the pull request${quote === null ? '' : ` and stopped at line ${line}, column ${column}`}.`,
    severity: kind.severity,
    category: 'bug',
    suggestion: null,
    ruleId: null,
    confidence: 1,
    source: 'rule',
    alsoAt: [],
  };
}
