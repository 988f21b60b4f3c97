import type { NormalisedRequest } from './normalise.ts';
import type { Answer, Answers, ModelOptions } from './script.ts';

/** Finds the script that a request belongs to and plays its next answer. */
export class ScriptPlayer {
  readonly #options: ModelOptions;
  readonly #turns = new Map<Answers, number>();

  constructor(options: ModelOptions) {
    this.#options = options;
  }

  /** Null when the script has come to its end. */
  async next(request: NormalisedRequest): Promise<Answer | null> {
    const bundle = this.#options.bundles?.find((one) => one.when(request));
    const answers = bundle?.answers ?? this.#options.answers;
    if (answers === undefined) return null;
    const turn = this.#turns.get(answers) ?? 0;
    this.#turns.set(answers, turn + 1);
    return typeof answers === 'function' ? answers(request, turn) : (answers[turn] ?? null);
  }
}
