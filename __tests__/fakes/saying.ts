import { type Finding, placed, unraised } from '../../src/core/findings/finding.ts';
import { type Message, verbatim } from '../../src/core/messages/message.ts';
import type { ReviewRecord } from '../../src/core/review/sink.ts';
import { goneFinding, roundOf } from './earlier-rounds.ts';
import { coverageOf, finding, limits, linesAt, recordOf, reviewer } from './review-record.ts';

/** A finding whose every text is this one. */
export function findingSaying(text: string, changes: Partial<Finding> = {}): Finding {
  const texts = { path: text, title: text, review: text, evidence: text, suggestion: text, ruleId: text };
  return finding({ anchor: linesAt([9, 10], text), ...texts, alsoAt: [text], ...changes });
}

/** A record in which every text that others may write is this one, but for what is given of its findings; `saying` makes the messages. */
export function recordSaying(
  text: string,
  given: Partial<Finding> = {},
  saying: (text: string) => Message = verbatim,
): ReviewRecord {
  const message = saying(text);
  const file = { path: text, reason: message };
  const found = (id: string) => findingSaying(text, { id, ...given });
  const url = 'https://github.com/acme/shop/pull/7#discussion_r1';
  return recordOf({
    ...{
      outcome: 'findings',
      headline: [message],
      withheld: message,
      rationale: text,
      nonSpecific: [text],
      rawFreeText: text,
      notes: [message],
    },
    findings: [
      placed(found('f1'), 'inline'),
      placed(found('f2'), 'summary', { reason: message }),
      placed(found('f3'), 'body', { reason: message }),
      placed({ ...found('f5'), anchor: { kind: 'file' }, unplaced: { quote: text, reason: message } }, 'file'),
      placed({ ...found('f6'), note: message }, 'inline'),
      placed({ ...found('f7'), reviewMessages: [message] }, 'inline'),
      placed(found('f8'), 'standing', { reason: message, held: 'thread' }),
      unraised(found('f9'), { by: 'verification', reason: message }),
      unraised(found('f4'), { by: 'people', reason: { code: 'declined.by-saying', person: text, words: text } }, url),
    ],
    ...{ identity: reviewer, round: roundOf({ reviews: 1 }), limits: { ...limits, model: text } },
    gone: [goneFinding({ title: text }, url)],
    walkthrough: [{ paths: [text, text, text, text], changes: text, checked: text }],
    coverage: coverageOf({
      ...{ reviewed: [text], earlier: [text], missing: [message] },
      ...{ skipped: [file], unreviewed: [file], unread: [{ ...file, code: true }] },
    }),
  });
}
