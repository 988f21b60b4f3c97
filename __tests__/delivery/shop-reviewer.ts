import type { Model, ModelRequest } from '../../src/core/agent/model.ts';
import { noUsage } from '../../src/core/agent/usage.ts';
import { defectFinding, defectFindingReworded, earlierId } from '../scenarios/shop-world.ts';
import type { Situation } from './situations.ts';

type Seen = Pick<Situation, 'left' | 'pathOf' | 'reworded'> & { readonly count: number };

/** A reviewer that finds every defect in what it is shown, and nothing else. `onAsk` runs before it answers. */
export function shopReviewer(seen: Seen, onAsk: () => Promise<void> = async () => undefined): Model {
  let calls = 0;
  return {
    answer: async (request) => {
      await onAsk();
      calls += 1;
      const prompt = JSON.stringify(request.messages);
      const findings = defectsIn(request, seen).map((defect) => ({
        ...findingOf(defect, seen),
        same_as: earlierId(defect, prompt),
      }));
      const submission = { files_review: findings, non_specific_review: null, approval: approvalOf(findings.length) };
      const toolCalls = [{ id: `call_${calls}`, name: 'submit_review', arguments: JSON.stringify(submission) }];
      return {
        message: { role: 'assistant', text: '', toolCalls, raw: null },
        end: 'tool-calls',
        usage: { ...noUsage, input: 100, output: 100 },
      };
    },
  };
}

function defectsIn({ messages }: ModelRequest, { count, left }: Seen): readonly number[] {
  const shown = JSON.stringify(messages);
  const defects = Array.from({ length: count }, (_, defect) => defect);
  return defects.filter((defect) => left(defect) && shown.includes(`?? ${defect};`));
}

function findingOf(defect: number, { pathOf, reworded }: Seen) {
  const words = reworded ? defectFindingReworded(defect) : defectFinding(defect);
  const plain = { lines: null, side: 'RIGHT', evidence: 'Read.', category: 'bug', suggestion: null, rule_id: null };
  return { ...plain, confidence: 0.9, ...words, path: pathOf(Math.floor(defect / 10)) };
}

function approvalOf(findings: number) {
  return findings === 0
    ? { approved: true, rationale: 'Nothing to mend.', action: 'APPROVE' }
    : { approved: false, rationale: 'Mend this.', action: 'REQUEST_CHANGES' };
}
