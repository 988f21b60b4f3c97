/**
 * Draws the pictures of the README from the recorded demonstration: the comment on a pull request, the summary, an answer in a thread and the HTML
 * report, light and dark.
 * Needs Chromium (`CHROMIUM` names another program). Neither the build nor a test runs it.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import type { Finding } from '../src/core/findings/finding.ts';
import { commandsIn } from '../src/core/history/commands.ts';
import { renderAnswer } from '../src/core/report/answer.ts';
import { renderComment } from '../src/core/report/finding.ts';
import { renderHtml } from '../src/core/report/html/render-html.ts';
import { shownReport } from '../src/core/report/json.ts';
import { renderSummary } from '../src/core/report/summary.ts';
import { type Answer, plainAnswer } from '../src/core/review/review.ts';
import type { ReviewRecord } from '../src/core/review/sink.ts';
import { takeDownRun } from '../src/run/parts.ts';
import { replay } from '../src/run/replay.ts';
import { frameStyle } from './picture-style.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const themes = ['light', 'dark'] as const;
const width = 800;
const reportWidth = 1_200;
const scale = 1.25;
/** Lines of the diff above a comment, as GitHub shows them. */
const linesAbove = 3;

const transcript = join(root, 'demo', 'transcript.jsonl');
let now = () => 0;
const taken = takeDownRun(null, () => now());
const { record, differences } = await replay(transcript, {
  report: taken.report,
  destinations: [],
  onClock: (recorded) => {
    now = recorded;
  },
});
if (differences.length > 0) throw new Error(differences.join('\n'));
const context = { serverUrl: null, repository: null, redact: (text: string) => text, name: 'Postil' };

const pictures = { review: reviewPicture(), summary: summaryPicture(), commands: commandsPicture() };
const folder = mkdtempSync(join(tmpdir(), 'pictures-'));
for (const [name, body] of Object.entries(pictures)) {
  for (const theme of themes) draw(`${name}-${theme}`, page(body, theme));
}
const report = renderHtml(shownReport(record, { ...context, run: taken.run }));
for (const theme of themes) {
  // A picture has no reader whose taste could be asked: the theme is fixed, which the page's policy would not allow.
  const dark = theme === 'dark' ? 'all' : 'not all';
  const fixed = report.replace(/<meta http-equiv[^>]*>/, '').replace('screen and (prefers-color-scheme: dark)', dark);
  draw(`report-${theme}`, fixed, reportWidth);
}
rmSync(folder, { recursive: true });

function reviewPicture(): string {
  const findings = record.placed.filter(({ place }) => place !== 'suppressed');
  return findings.map((finding) => `<div class="thread">${diffAbove(finding)}${comment(finding)}</div>`).join('');
}

function summaryPicture(): string {
  // On a laptop nothing is posted; in a job each of these is a comment on its lines.
  const placed = record.placed.map((entry) =>
    entry.place === 'suppressed' ? entry : { ...entry, place: 'inline' as const },
  );
  const posted: ReviewRecord = { ...record, placed };
  return `<div class="box"><div class="markdown-body text">${unfolded(html(renderSummary(posted, context)))}</div></div>`;
}

/** A question in the thread of a finding, and what the reviewer answers. The demonstration asks none, so the words are ours. */
function commandsPicture(): string {
  const [finding] = record.placed.filter(({ place }) => place !== 'suppressed');
  const head = record.review.pullRequest?.head.sha ?? '';
  if (finding === undefined || finding.anchor.kind === 'file') return '';
  const { path, anchor } = finding;
  const on = { serverUrl: 'https://github.com', repository: 'octo/spoon', redact: context.redact, name: 'Postil' };
  const place = { path, startLine: anchor.startLine, endLine: anchor.endLine };
  const answer: Answer = {
    ...plainAnswer,
    asked: { by: 'grace', comment: null, commands: commandsIn('/postil recheck'), mayWrite: true },
    text: 'Still true: the listener is added on this line and nothing removes it, neither when the stream ends nor when it fails.',
    notFound: 'a call of `removeEventListener`, or `once: true`',
    verdict: 'stands',
    proof: place,
  };
  const form = {
    context: on,
    identity: { name: 'Postil', run: '1-1' },
    head,
    movedTo: null,
    at: '',
    gate: null,
  };
  const said = html(renderAnswer(answer, form));
  const question = saidBy('grace', '', '<p>/postil recheck</p>', '👀 1 &nbsp; 🚀 1');
  return `<div class="thread">${diffAbove(finding)}${comment(finding)}${question}${saidBy('github-actions', 'bot', said, '')}</div>`;
}

function saidBy(by: string, label: string, text: string, reactions: string): string {
  const badge = label === '' ? '' : ` <span class="label">${label}</span>`;
  const below = reactions === '' ? '' : `<p class="muted">${reactions}</p>`;
  const head = `<div class="head"><b>${by}</b>${badge} <span class="muted">replied</span></div>`;
  return `<div class="box comment">${head}<div class="markdown-body text">${text}${below}</div></div>`;
}

/** With the list open that says why a finding was not raised. */
function unfolded(text: string): string {
  const open = text.replace(/<details>(?=\s*<summary>Found, not raised)/, '<details open>');
  if (open === text) throw new Error('The summary does not list what was not raised.');
  return open;
}

function comment(finding: Finding): string {
  const text = html(renderComment(finding, { context, marks: () => '' })).replace(
    /<pre><code class="language-suggestion">([\s\S]*?)<\/code><\/pre>/,
    (_, added: string) => suggestion(finding, added),
  );
  const head =
    '<div class="head"><b>github-actions</b> <span class="label">bot</span> <span class="muted">left a comment</span></div>';
  return `<div class="box comment">${head}<div class="markdown-body text">${text}</div></div>`;
}

function suggestion({ anchor }: Finding, added: string): string {
  const removed = anchor.kind === 'file' ? '' : anchor.quote;
  const rows = (kind: string, text: string) =>
    text
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => `<div class="line ${kind}"><span class="sign">${kind === 'add' ? '+' : '-'}</span>${line}</div>`)
      .join('');
  return `<div class="suggestion"><div class="suggested">Suggested change</div><div class="code">${rows('del', escaped(removed))}${rows('add', added)}</div><div class="commit"><span>Commit suggestion</span></div></div>`;
}

/** The end of the diff before the comment: its lines and some above them. */
function diffAbove({ path, anchor }: Finding): string {
  if (anchor.kind === 'file') return '';
  const lines = newLines(path).filter(({ number }) => number > anchor.endLine - linesAbove && number <= anchor.endLine);
  const code = lines.map(
    ({ number, sign, text }) =>
      `<div class="line ${sign === '+' ? 'add' : ''}"><span class="number">${number}</span><span class="sign">${sign}</span>${escaped(text)}</div>`,
  );
  return `<div class="path">${escaped(path)}</div><div class="code">${code.join('')}</div>`;
}

function newLines(path: string): readonly { readonly number: number; readonly sign: string; readonly text: string }[] {
  const { files } = changesOf(readFileSync(transcript, 'utf8'));
  return (files.find((file) => file.path === path)?.hunks ?? []).flatMap(({ newStart, lines }) =>
    lines
      .filter((line) => !line.startsWith('-'))
      .map((line, index) => ({ number: newStart + index, sign: line.slice(0, 1), text: line.slice(1) })),
  );
}

type Changes = {
  readonly files: readonly {
    readonly path: string;
    readonly hunks: readonly { readonly newStart: number; readonly lines: readonly string[] }[];
  }[];
};

function changesOf(text: string): Changes {
  const line = text.split('\n').find((one) => one.includes('"call":"changes"')) ?? '{}';
  return JSON.parse(line).result;
}

function html(markdown: string): string {
  return micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true });
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function page(body: string, theme: (typeof themes)[number]): string {
  const css = readFileSync(join(root, 'node_modules', 'github-markdown-css', `github-markdown-${theme}.css`), 'utf8');
  return `<!doctype html><meta charset="utf-8"><style>${css}${frameStyle(theme)}</style><body style="width:${width}px">${body}</body>`;
}

function draw(name: string, text: string, wide = width): void {
  const source = join(folder, 'page.html');
  writeFileSync(source, `${text}<script>document.title = document.body.offsetHeight</script>`);
  const measured = chromium([`--window-size=${wide},600`, '--dump-dom'], source);
  const height = /<title>(\d+)<\/title>/.exec(measured)?.[1] ?? '1000';
  const target = join(root, 'docs', 'pictures', `${name}.png`);
  const size = [`--window-size=${wide},${height}`, `--force-device-scale-factor=${scale}`];
  chromium([...size, `--screenshot=${target}`], source);
}

function chromium(options: readonly string[], source: string): string {
  const program = process.env['CHROMIUM'] ?? 'chromium';
  const always = [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--hide-scrollbars',
    `--user-data-dir=${join(folder, 'profile')}`,
  ];
  return execFileSync(program, [...always, ...options, `file://${source}`], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}
