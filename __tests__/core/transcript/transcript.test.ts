import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelRequest } from '../../../src/core/agent/model.ts';
import { compareRuns } from '../../../src/core/transcript/compare-runs.ts';
import { recordedContent, recordedFiles } from '../../../src/core/transcript/recorded-source.ts';
import { requestKey } from '../../../src/core/transcript/request-key.ts';
import { parseTranscript } from '../../../src/core/transcript/transcript-line.ts';
import { addedFile } from '../../fakes/changed-files.ts';

const start = { type: 'start', schema_version: 1, postil: '0', settings: {}, pull_request: {}, ports: [], notes: [] };
const same = (text: string) => text;

describe('a transcript', () => {
  it.each([
    ['that is empty', '', 'line 1 does not begin a transcript'],
    ['that is something else', '{"a":1}\n', 'line 1 does not begin a transcript'],
    [
      'of a later version',
      JSON.stringify({ ...start, schema_version: 2 }),
      'it is of version 2, and this Postil reads version 1',
    ],
    ['with a broken line in the middle', `${JSON.stringify(start)}\n{"type"\n{}\n`, 'line 2 is not JSON'],
  ])('%s is refused with what is wrong', (_what, text, problem) => {
    expect(parseTranscript(text)).toEqual({ ok: false, problems: [problem] });
  });

  it('never makes the reader throw', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.json(), fc.string(), fc.constant(JSON.stringify(start)))), (lines) => {
        expect(typeof parseTranscript(lines.join('\n')).ok).toBe('boolean');
      }),
    );
  });
});

describe('source that is recorded', () => {
  const token = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';

  it('has as many lines as the file, and no credential', () => {
    const lines = fc.array(
      fc.constantFrom(
        'const a = 1;',
        `token = "${token}"`,
        '',
        '\tx',
        '-----BEGIN RSA PRIVATE KEY-----',
        'MIIEowIBAAKCAQEA',
        '-----END RSA PRIVATE KEY-----',
      ),
    );
    fc.assert(
      fc.property(lines, (text) => {
        const content = recordedContent({ kind: 'text', text: text.join('\n'), bytes: 1 }, same);
        const kept = content.kind === 'text' ? content.text.split('\n') : [];
        expect([kept.length, kept.join('\n').includes(token)]).toEqual([Math.max(1, text.length), false]);
        const [file] = recordedFiles([addedFile('a.ts', text)], same);
        expect(file?.hunks[0]?.lines.map((line) => line.slice(0, 1))).toEqual(text.map(() => '+'));
      }),
    );
  });
});

describe('the key of a request', () => {
  const request: ModelRequest = {
    messages: [{ role: 'user', text: 'token hunter2' }],
    tools: [],
    toolChoice: 'auto',
    maxOutputTokens: 5,
  };

  it('does not depend on what is taken out, nor on what is not sent', () => {
    const redact = (text: string) => text.replaceAll('hunter2', '[redacted]');
    const redacted = { ...request, messages: [{ role: 'user' as const, text: 'token [redacted]' }] };
    expect(requestKey({ ...request, onProgress: () => {} }, redact)).toBe(requestKey(redacted, same));
    expect(requestKey({ ...request, maxOutputTokens: 6 }, same)).not.toBe(requestKey(request, same));
  });
});

describe('two ends', () => {
  const end = { type: 'end', outcome: 'findings', headline: '', reflection: null } as const;
  const one = { title: 'One', where: 'a.ts:1', place: 'inline' };
  const two = { title: 'Two', where: 'b.ts:2', place: 'summary' };

  it('differ by what only one of them has', () => {
    expect(compareRuns({ ...end, findings: [one] }, { ...end, outcome: 'partial', findings: [two] })).toEqual([
      'The outcome is partial; it was findings.',
      'No longer found: One (a.ts:1, inline).',
      'Not found before: Two (b.ts:2, summary).',
    ]);
    expect(compareRuns({ ...end, findings: [one, two] }, { ...end, findings: [two, one] })).toEqual([]);
  });
});
