import { describe, expect, it } from 'vitest';
import { configFaults } from '../../../src/core/settings/config-file.ts';
import { readLabelRules } from '../../../src/core/settings/label-rules.ts';
import { parseSettings } from '../../../src/core/settings/parse-settings.ts';

describe('a row of `labels`', () => {
  it.each([
    ['size/XL: changed > 1_000', 'size/XL', [{ of: 'changed', operator: '>', value: 1000 }]],
    ['type: security:security>=Warning', 'type: security', [{ of: 'security', operator: '>=', value: 'warning' }]],
    [
      'hot : findings = critical AND files < 3 and findings <= 20',
      'hot',
      [
        { of: 'findings', operator: '=', value: 'critical' },
        { of: 'files', operator: '<', value: 3 },
        { of: 'findings', operator: '<=', value: 20 },
      ],
    ],
  ])('%s is read', (row, label, all) => {
    expect(readLabelRules([row])).toEqual([{ label, all }]);
  });

  it.each([
    ['changed > 10', 'it needs a label, a colon and a condition'],
    [`${'x'.repeat(51)}: changed > 10`, 'a label has at most 50 characters'],
    ['big: changed is 10', '"changed is 10" is no comparison by >= <= > < ='],
    ['big: changed > 10 and', '"changed > 10 and" is no comparison'],
    ['big: changed => 10', '"changed => 10" is no comparison'],
    ['big: lines > 10', '`lines` is none of changed, files, findings, bug, security,'],
    ['big: changed > warning', 'changed is compared with a number'],
    ['big: security >= severe', 'security is compared with a number or one of critical, warning, info, nitpick'],
    ['ok: changed > 1\nOK: files > 1', 'this label has a row already'],
  ])('%s is a settings error that names it and says why', (rows, why) => {
    const parse = () => parseSettings([{ where: 'input', trusted: true, values: { labels: rows } }]);
    expect(parse).toThrow(JSON.stringify(rows.split('\n').at(-1)));
    expect(parse).toThrow(why);
  });

  it('is a mapping, a list or text in the config file', () => {
    const rules = ['a: changed > 1', 'b: files > 2'];
    const written = [{ a: 'changed > 1', b: 'files > 2' }, rules, rules.join('\n'), [{ a: 'changed > 1' }, rules[1]]];
    const read = written.map((labels) => {
      const file = { where: '.postil/config.yml', trusted: false, values: { labels } };
      return parseSettings([], [file]).settings.labels;
    });
    expect(read).toEqual(written.map(() => readLabelRules(rules)));
    expect(configFaults('labels:\n  big: changed ! 10\n')).toMatchObject([{ line: 1 }]);
  });
});
