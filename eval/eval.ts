import {
  defineCommand,
  filesOfOne,
  flag,
  flagNames,
  matching,
  oneOf,
  settingFlag,
  settingsIn,
} from '../src/cli/command.ts';
import { pageName } from '../src/core/addresses.ts';

const configFile = matching('a config file', /./);
/** As flags of `eval` these two limit all reviews together. */
const limits = ['max-cost', 'max-total-tokens'] as const;
const isOwn = (name: string) => name === 'fail-on' || filesOfOne.includes(name) || limits.some((one) => one === name);
const settings = flagNames.filter((name) => !isOwn(name));

export const evaluation = defineCommand({
  name: 'eval',
  operand: '[CASES]',
  about: 'Review cases whose defects are known and say how many were found. [eval/cases]',
  flags: [
    flag(
      'config FILE',
      'Settings of every review, as in .postil/config.yml. The flags below and variables go before.',
      configFile,
    ),
    flag('against FILE', 'Another config file, to compare with the first.', configFile),
    flag('record', 'Keep the transcript of every review.'),
    flag('replay', 'Take the answers of the models from these transcripts: no key, no cost.'),
    flag('transcripts FOLDER', 'Where they are. [beside the case]', matching('a folder', /./)),
    flag(
      'judge-model NAME',
      'Also ask a model which findings tell a defect. Without it the place decides.',
      matching('a model', /./),
    ),
    {
      ...settingFlag('max-cost'),
      term: 'max-cost USD',
      help: 'Limit of the whole evaluation, judge included. The limit of one review stands in the config file. Needs --pricing.',
    },
    { ...settingFlag('max-total-tokens'), term: 'max-total-tokens N', help: 'The same in tokens.' },
    flag(
      'tolerance N',
      'Lines that a finding may be away from the defect. [3]',
      matching('a number of lines from 0 to 100', /^(?:\d{1,2}|100)$/),
    ),
    flag(
      'readings N',
      'Read every head N times, to see what comes late. [1]',
      matching('a number from 1 to 9', /^[1-9]$/),
    ),
    flag('jobs N', 'Cases at the same time. [2]', matching('a number from 1 to 16', /^(?:[1-9]|1[0-6])$/)),
    flag('format FORMAT', 'text or json. [text]', oneOf(['text', 'json'])),
    flag('report-html FILE', 'Also write the numbers and every case as a page.', matching('a file', /./)),
    ...settings.map((name) => ({ ...settingFlag(name), help: null })),
  ],
  more: [
    'Other settings of `review` are taken too, such as --model and --profile: they hold for each review.',
    `The format of a case: ${pageName('eval.md')}`,
  ],
  read: (given) => {
    const { text, isSet } = given;
    if (isSet('record') && isSet('replay')) return "'--record' and '--replay' contradict each other: give one of them.";
    if (text('config') !== null && text('config') === text('against')) {
      return "'--against' names the file of '--config': nothing would differ.";
    }
    return {
      cases: given.operand ?? usualCases,
      config: text('config'),
      against: text('against'),
      answers: isSet('record') ? 'record' : isSet('replay') ? 'replay' : 'model',
      transcripts: text('transcripts'),
      judgeModel: text('judge-model') ?? '',
      tolerance: Number(text('tolerance') ?? 3),
      readings: Number(text('readings') ?? 1),
      jobs: Number(text('jobs') ?? 2),
      format: text('format') === 'json' ? 'json' : 'text',
      reportHtml: text('report-html') ?? '',
      flags: settingsIn(given, settings),
      limits: settingsIn(given, limits),
    } as const;
  },
  run: async (asked) => {
    const { evaluate } = await import(/* webpackMode: "eager" */ './evaluate.ts');
    const { evaluating } = await import(/* webpackMode: "eager" */ '../src/cli/run.ts');
    return evaluating((around) => evaluate(asked, around));
  },
});

/** Where cases are when nobody says. */
const usualCases = 'eval/cases';

export const evalInit = defineCommand({
  name: 'eval init',
  operand: '[CASES]',
  about: 'With --from-fixes: propose cases from the history of this repository.',
  flags: [
    flag('from-fixes', '`eval init`: from commits that fix something. --since REV and --max N limit them. [20]'),
    flag('since', null, matching('a revision', /^[^-]/)),
    flag('max', null, matching('a number from 1 to 200', /^(?:[1-9]\d?|1\d\d|200)$/)),
  ],
  read: ({ text, isSet, operand }) => {
    if (!isSet('from-fixes')) return "eval init needs '--from-fixes'.";
    return { cases: operand ?? usualCases, since: text('since'), max: Number(text('max') ?? 20) };
  },
  run: async (asked) => {
    const { proposeCases } = await import(/* webpackMode: "eager" */ './propose-cases.ts');
    const { evaluating } = await import(/* webpackMode: "eager" */ '../src/cli/run.ts');
    return evaluating((around) => proposeCases(asked, around));
  },
});
