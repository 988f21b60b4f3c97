import { at, listAt, textAt } from '../json.ts';
import { bad, type Problem } from './problem.ts';

/** Remembers what was reasoned, so that a replay that loses or changes a part of it is refused as the real server does. */
export class ReasoningMemory {
  /** Encrypted content by id of a reasoning item. */
  readonly #encrypted = new Map<string, string>();
  /** The reasoning item that an output item came with, by the output item's id. */
  readonly #reasonOf = new Map<string, string>();

  remember(output: readonly unknown[]): void {
    let reason = '';
    for (const item of output) {
      const id = textAt(item, 'id');
      if (at(item, 'type') === 'reasoning') {
        reason = id;
        this.#encrypted.set(id, textAt(item, 'encrypted_content'));
      } else if (reason !== '') this.#reasonOf.set(id, reason);
    }
  }

  problem(body: unknown): Problem | null {
    const items = listAt(body, 'input');
    for (const [index, item] of items.entries()) {
      const problem =
        at(item, 'type') === 'reasoning'
          ? this.#reasoningProblem(item, items[index + 1])
          : this.#followerProblem(items, index);
      if (problem !== null) return problem;
    }
    return null;
  }

  #reasoningProblem(item: unknown, next: unknown): Problem | null {
    const id = textAt(item, 'id');
    const encrypted = textAt(item, 'encrypted_content');
    if (encrypted === '' || !this.#encrypted.has(id)) {
      return {
        ...bad(
          `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
          { param: 'input' },
        ),
        status: 404,
      };
    }
    if (encrypted !== this.#encrypted.get(id)) {
      return bad(
        `The encrypted content for item ${id} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
        { code: 'invalid_encrypted_content' },
      );
    }
    if (this.#reasonOf.get(textAt(next, 'id')) === id) return null;
    return bad(`Item '${id}' of type 'reasoning' was provided without its required following item.`, {
      param: 'input',
    });
  }

  #followerProblem(items: readonly unknown[], index: number): Problem | null {
    const item = items[index];
    const reason = this.#reasonOf.get(textAt(item, 'id'));
    if (reason === undefined) return null;
    if (items.slice(0, index).some((one) => textAt(one, 'id') === reason)) return null;
    return bad(
      `Item '${textAt(item, 'id')}' of type '${textAt(item, 'type')}' was provided without its required 'reasoning' item: '${reason}'.`,
      { param: 'input' },
    );
  }
}
