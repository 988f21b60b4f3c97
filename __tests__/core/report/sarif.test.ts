import { describe, expect, it } from 'vitest';
import { type Finding, type PlacedFinding, placed, unraised } from '../../../src/core/findings/finding.ts';
import { verbatim } from '../../../src/core/messages/message.ts';
import { leftOutOfSarif, renderSarif } from '../../../src/core/report/sarif.ts';
import { context, finding, linesAt, recordOf, review } from '../../fakes/review-record.ts';
import { richRecord } from '../../fakes/rich-record.ts';
import { sarifProblem } from '../../fakes/sarif.ts';

const options = { ...context, version: '1.2.3' };
const ofSecurity = { category: 'security' } as const;

function sarifOf(findings: readonly PlacedFinding[]) {
  const [run] = renderSarif(recordOf({ outcome: 'findings', findings }), options).runs;
  return { results: run?.results ?? [], driver: run?.tool.driver };
}

describe('the SARIF log', () => {
  it.each([
    ['of a rich review', richRecord()],
    ['of a clean review', recordOf()],
    ['without a pull request', { ...recordOf(), review: review({ pullRequest: null }) }],
  ])('%s is valid', (_, record) => {
    const log = renderSarif(record, options);
    expect(sarifProblem(log)).toBe(null);
  });

  it('holds a result for every finding, with its rule, level, lines and fix', () => {
    const { results, driver } = sarifOf([placed(finding(), 'inline')]);
    const artifactLocation = { uri: 'src/cart.ts', uriBaseId: '%SRCROOT%' };
    const deletedRegion = { endColumn: 1, endLine: 13, startColumn: 1, startLine: 12 };
    const insertedContent = { text: '  return items[items.length - 1].price;\n' };
    const sentences = 'so `.price` throws. Read the last index instead.';
    expect(results).toEqual([
      {
        fixes: [
          {
            artifactChanges: [{ artifactLocation, replacements: [{ deletedRegion, insertedContent }] }],
            description: { text: 'The change that the reviewer suggests.' },
          },
        ],
        level: 'error',
        locations: [{ physicalLocation: { artifactLocation, region: { endLine: 12, startLine: 12 } } }],
        message: {
          text: `The last price is read past the end.\n\nFor any cart \`items[items.length]\` is undefined, ${sentences}`,
        },
        partialFingerprints: { 'postilFinding/v2': '23bc86f31a57f2d9:1' },
        properties: { category: 'bug', confidence: 0.9 },
        ruleId: 'postil/bug',
        ruleIndex: 0,
      },
    ]);
    const rules = [{ id: 'postil/bug' }];
    expect(driver).toMatchObject({ name: 'Postil', rules });
  });

  it.each([
    ['a matter of security', ofSecurity, 'postil/security-critical', 'Security, critical', '9.5'],
    ['a built-in rule', { ruleId: 'private-key' }, 'private-key', 'Private key', '9.5'],
    ['any other matter', {}, 'postil/bug', 'Bug', undefined],
    ['a rule whose id a model made up', { ruleId: 'no|`x`\n**' }, 'no|`x`\n**', 'No x', undefined],
  ] as const)('names the rule of %s for readers, and how severe it is for GitHub', (_, changes, id, name, score) => {
    const rule = sarifOf([placed(finding(changes), 'inline')]).driver?.rules?.[0];
    expect([rule?.id, rule?.name, rule?.properties?.['security-severity']]).toEqual([id, name, score]);
    expect(rule?.help?.markdown).toMatch(/^\*\*.+\*\*\n\n.+\n\nMore: \[?`docs\/(?:rules|reviews)\.md`/);
  });

  it('holds the results that GitHub shows, the most important ones, and counts the others', () => {
    const placements = Array.from({ length: 5_003 }, (_, index) =>
      placed(finding({ id: `f${index}`, title: `Number ${index}` }), 'inline'),
    );
    const { results } = sarifOf(placements);
    const left = leftOutOfSarif(recordOf({ findings: placements }).placed);
    expect([results.length, results[0]?.message.text?.slice(0, 9), left]).toEqual([5_000, 'Number 0.', 3]);
  });

  it('tells what the team refused as suppressed', () => {
    const { results } = sarifOf([unraised(finding(), { by: 'people', reason: verbatim('ada resolved it') })]);
    expect(results[0]?.suppressions).toEqual([{ kind: 'external', justification: 'ada resolved it' }]);
  });

  it('keeps a fingerprint when the lines move or are indented anew and not when they change, and apart when they are equal', () => {
    const moved = finding({ id: 'f2', anchor: linesAt([40, 40], '  x y') });
    const indented = finding({ anchor: linesAt([4, 4], 'x y') });
    const changed = finding({ anchor: linesAt([4, 4], '  x z') });
    const here = finding({ anchor: linesAt([4, 4], '  x y') });
    const prints = (...findings: readonly Finding[]) =>
      sarifOf(findings.map((one) => placed(one, 'inline'))).results.map(
        ({ partialFingerprints }) => partialFingerprints?.['postilFinding/v2'],
      );
    expect([prints(moved), prints(indented)]).toEqual([prints(here), prints(here)]);
    expect(new Set([...prints(here, moved), ...prints(changed)]).size).toBe(3);
  });

  it.each([
    ['the whole file at the first line', { kind: 'file' }, null, 1],
    ['removed lines where they stood', linesAt([9, 12], 'gone();', 'LEFT'), 7, 7],
  ] as const)('shows a matter of %s, without a fix', (_, anchor, line, startLine) => {
    const one = finding({ anchor, ...(line === null ? {} : { lineAtHead: line }) });
    const [result] = sarifOf([placed(one, 'inline')]).results;
    const region = { startLine, endLine: startLine };
    expect([result?.locations?.[0]?.physicalLocation?.region, result?.fixes]).toEqual([region, undefined]);
  });

  it('escapes paths, takes out secrets and invisible characters', () => {
    const leaking = { title: 'It logs hunter2hunter2\u202E', suggestion: 'log("hunter2hunter2")' };
    const odd = finding({ path: 'src/a b#1?.ts', ...leaking });
    const [result] = sarifOf([placed(odd, 'inline')]).results;
    expect(result?.locations?.[0]?.physicalLocation?.artifactLocation?.uri).toBe('src/a%20b%231%3F.ts');
    expect(JSON.stringify(result)).not.toMatch(/hunter2|\u202E/);
    expect(result?.fixes).toBeUndefined();
  });
});
