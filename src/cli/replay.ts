import { defineCommand, format, formatIn, settingFlag } from './command.ts';

export const replay = defineCommand({
  name: 'replay',
  operand: '[FILE]',
  about: 'Run a recorded review again from its transcript; without a file the demo.',
  flags: [format, settingFlag('report-file'), settingFlag('report-html')],
  read: (given) => ({
    path: given.operand,
    format: formatIn(given),
    reportFile: given.text('report-file') ?? '',
    reportHtml: given.text('report-html') ?? '',
  }),
  run: async (asked) => (await import(/* webpackMode: "eager" */ './run.ts')).replayed(asked),
});
