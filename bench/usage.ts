import { readFileSync } from 'node:fs';
import { parserFor } from '../src/core/schema.ts';

/** `POSTIL_BENCH_PROFILE=<folder>` keeps a CPU profile of each run. */
export function nodeOptions(): string {
  const folder = process.env['POSTIL_BENCH_PROFILE'];
  const profile = folder === undefined ? '' : ` --cpu-prof --cpu-prof-dir=${folder}`;
  return `--import=data:text/javascript,${encodeURIComponent(probe)}${profile}`;
}

/**
 * Runs in the process that watches and in the one that reviews: at its end each writes CPU milliseconds, those of its children included
 * (hundredths of a second in /proc, fields 16 and 17), and the most memory that one of them had, in kibibytes.
 */
const probe = `
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
if (isMainThread) process.on('exit', () => {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  // Not maxRSS: that of a process begins with what its parent had.
  const kibibytes = Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const cpu = (userCPUTime + systemCPUTime) / 1000 + 10 * (Number(fields[13]) + Number(fields[14]));
  const file = process.env.BENCH_USAGE_FILE;
  const before = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).kibibytes : 0;
  writeFileSync(file, JSON.stringify({ cpu, kibibytes: Math.max(before, kibibytes) }));
});`;

const parse = parserFor({
  type: 'object',
  additionalProperties: false,
  required: ['cpu', 'kibibytes'],
  properties: { cpu: { type: 'number' }, kibibytes: { type: 'number' } },
} as const);

export function usageOf(file: string): { readonly cpu: number; readonly kibibytes: number } {
  const text = readFileSync(file, 'utf8');
  const parsed = parse(JSON.parse(text));
  if (!parsed.ok) throw new Error(`The measured process said something else: ${text}`);
  return parsed.value;
}
