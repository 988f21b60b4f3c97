import { describe, expect, it } from 'vitest';
import { renderOutputs } from '../../../src/core/report/outputs.ts';
import { context, recordOf } from '../../fakes/review-record.ts';
import { richRecord } from '../../fakes/rich-record.ts';

describe('the outputs of the step', () => {
  it('are counts, words and addresses', () => {
    const rich = richRecord();
    const report = {
      sink: 'report-file',
      status: 'delivered',
      reason: null,
      delivered: [],
      url: 'out/report.json',
    } as const;
    expect(renderOutputs({ ...rich, deliveries: [report, ...rich.deliveries] })).toEqual({
      outcome: 'partial',
      action: 'REQUEST_CHANGES',
      approved: 'false',
      rationale: 'Checkout throws for every cart.',
      findings: '4',
      critical: '1',
      warning: '2',
      info: '0',
      nitpick: '1',
      unread: '0',
      posted: '3',
      'review-url': 'https://github.com/acme/shop/pull/7#pullrequestreview-1',
      'report-file': 'out/report.json',
      'transcript-file': '',
      cost: '',
      'sarif-file': '',
      'input-tokens': '14203',
      'output-tokens': '812',
      'cached-tokens': '9000',
      'stop-reason': 'tokens',
    });
  });

  it('name no report file that could not be written', () => {
    const report = { sink: 'report-file', status: 'failed', reason: 'disk full', delivered: [], url: null } as const;
    expect(renderOutputs(recordOf({}, [report]))['report-file']).toBe('');
  });

  it('hold the rationale on one line, without secrets and control characters', () => {
    const record = recordOf({ rationale: 'one\ntwo \u001B[2J hunter2hunter2' });
    expect(renderOutputs(record, context.redact)['rationale']).toBe('one two \\u{1B}[2J [redacted: secret]');
  });
});
