import type { FakeGitHub } from '../fakes/github-server/start-github.ts';
import type { Answer, ScriptedFinding } from '../fakes/model-server/script.ts';
import { submit } from '../fakes/model-server/script.ts';
import type { WorldOptions } from '../fakes/world/create-world.ts';
import { setStage } from './review.ts';

/** `count` defects, a line each with good lines between, in files of ten. */
export function shopWorld(count: number): WorldOptions {
  const files = Object.fromEntries(
    Array.from({ length: Math.max(1, Math.ceil(count / 10)) }, (_, index) => [shopFile(index), shopText(index, count)]),
  );
  return { base: { 'README.md': '# Shop\n' }, head: files };
}

export function shopFile(index: number): string {
  return `src/shop-${index}.ts`;
}

/** The text of one file: defects `10 * index` to `10 * index + 9`, as far as there are so many. */
export function shopText(index: number, count: number): string {
  const lines = [`/** Part ${index} of the shop. */`];
  for (let defect = index * 10; defect < Math.min(count, index * 10 + 10); defect += 1) {
    lines.push(`export function price${defect}(items: readonly number[]): number {`);
    lines.push(defectLine(defect));
    lines.push('}', '');
  }
  return `${lines.join('\n')}\n`;
}

export function defectLine(defect: number): string {
  return `  return items[items.length] ?? ${defect};`;
}

/** What a good reviewer says of one of them. */
export function defectFinding(defect: number): ScriptedFinding & { readonly title: string } {
  return {
    path: shopFile(Math.floor(defect / 10)),
    quote: defectLine(defect),
    title: `price${defect} reads one past the end`,
    review: `\`price${defect}\` reads \`items[items.length]\`, which is never there.`,
    severity: 'warning',
  };
}

/** The same matter as another model would say it: more lines, other words, another category. */
export function defectFindingReworded(defect: number): ScriptedFinding {
  return {
    ...defectFinding(defect),
    quote: `export function price${defect}(items: readonly number[]): number {\n${defectLine(defect)}\n}`,
    title: `Index out of bounds (${defect})`,
    review: 'The last valid index is `length - 1`.',
    category: 'maintainability',
  };
}

/** A submission of these defects, and nothing when there are none. */
export function reviewOf(defects: readonly number[], say: (defect: number) => ScriptedFinding = defectFinding): Answer {
  return submit(defects.map(say));
}

/** The same, said otherwise by a model that names the earlier findings which its prompt lists. */
export function rewordedReviewOf(defects: readonly number[], changes: Partial<ScriptedFinding> = {}) {
  return (prompt: string): Answer =>
    reviewOf(defects, (defect) => ({
      ...defectFindingReworded(defect),
      ...changes,
      same_as: earlierId(defect, prompt),
    }));
}

/** The id of the finding on this defect that a prompt lists as raised before. */
export function earlierId(defect: number, prompt: string): string | null {
  return new RegExp(`\\[(p-[0-9a-f]{8}), [^\\]]*\\] \\S+ price${defect} reads`).exec(prompt)?.[1] ?? null;
}

/** The titles of the comments that stand on the pull request, in order. */
export function titlesOf(github: FakeGitHub): readonly string[] {
  return github.comments().map(({ body }) => /price\d+ reads|Index out of bounds \(\d+\)/.exec(body)?.[0] ?? body);
}

/** A stage whose model says what `say` was last told. */
export async function openShop(count: number, more: Partial<WorldOptions> = {}) {
  let answer: Answer | ((prompt: string) => Answer) = reviewOf([]);
  const world = { ...shopWorld(count), ...more };
  const model = ({ messages }: { readonly messages: unknown }) =>
    typeof answer === 'function' ? answer(JSON.stringify(messages)) : answer;
  const stage = await setStage({ world, model });
  const say = (next: typeof answer) => {
    answer = next;
  };
  return { scenario: { world, model }, stage, say };
}
