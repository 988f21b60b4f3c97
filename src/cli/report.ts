import { defineCommand, flag, format, formatIn, valueSuchAs } from './command.ts';

export const report = defineCommand({
  name: 'report',
  operand: 'FILE',
  about: 'Write the report file of a run as one HTML page, or print it with --format.',
  flags: [
    flag('report-html PATH', 'File for the page. [FILE with .html]', valueSuchAs('--report-html=review.html')),
    flag(
      'transcript FILE',
      'Transcript that the page shows. [the one beside the report]',
      valueSuchAs('--transcript=run.jsonl'),
    ),
    flag('open', 'Show the page in the browser.'),
    format,
  ],
  read: (given) => {
    const { operand: path, text, isSet } = given;
    if (path === null) return 'report needs the file that `report-file` named.';
    const open = isSet('open');
    const printed = text('format') === null ? null : formatIn(given);
    const page = printed === null || open ? `${path.replace(/\.json$/, '')}.html` : null;
    return { path, format: printed, reportHtml: text('report-html') ?? page, transcript: text('transcript'), open };
  },
  run: async (asked) => (await import(/* webpackMode: "eager" */ './show-report.ts')).showReport(asked),
});
