import type { CheckAnnotation } from '../../core/report/check-annotations.ts';
import { visibleLine } from '../../core/report/invisible.ts';
import { characters, cutText } from '../../core/report/limits.ts';
import { type CheckRequests, checkRequests, titleCharacters } from './check-requests.ts';
import type { CheckOutput, CheckRunOptions, Conclusion } from './check-run-options.ts';
import { refusalOf } from './refusal.ts';

export type Started = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** Progress is reported at most so often, and so many times: each is a write. */
const tellMilliseconds = 10_000;
const toldAtMost = 20;

/** The one check of a run, from its creation to its conclusion. Its writes go out one after the other. */
export class OneCheck {
  readonly #options: CheckRunOptions;
  readonly #requests: CheckRequests;
  #id: number | null = null;
  /** Address of the check; null until it was created. */
  url: string | null = null;
  /** Why progress is not reported any more, in GitHub's words; null while nothing went wrong. */
  troubleTelling: string | null = null;
  #creating: Promise<Started> | null = null;
  #writing: Promise<unknown> = Promise.resolve();
  #toldAt = 0;
  #told = 0;
  #annotated = 0;
  #title = 'The review is running.';

  constructor(options: CheckRunOptions) {
    this.#options = options;
    this.#requests = checkRequests(options);
  }

  /** Creates the check; nobody has to wait for it. */
  start(): void {
    this.#creating ??= this.#create();
    // Whoever asks whether it started learns what went wrong.
    this.#creating.catch(() => undefined);
  }

  /** Whether there is a check, once it is known. */
  started(): Promise<Started> {
    this.#creating ??= this.#create();
    return this.#creating;
  }

  /** A line of progress, when the last one is some seconds old. Never waits and never fails. */
  tell(text: string): void {
    const now = this.#options.now();
    if (this.#id === null || this.troubleTelling !== null) return;
    if (this.#told >= toldAtMost || now - this.#toldAt < tellMilliseconds) return;
    this.#toldAt = now;
    this.#told += 1;
    this.#title = cutText(visibleLine(this.#options.redact(text)), { max: titleCharacters, measure: characters });
    this.#inTurn((id) => this.#requests.update(id, { status: 'in_progress', output: this.#output() })).catch(
      (error: unknown) => {
        this.troubleTelling = refusalOf(error)?.reason ?? String(error);
      },
    );
  }

  /** Adds annotations, 50 at most. */
  async annotate(page: readonly CheckAnnotation[]): Promise<void> {
    await this.#inTurn((id) => this.#requests.annotate(id, { output: this.#output(), page, before: this.#annotated }));
    this.#annotated += page.length;
  }

  async complete(end: CheckOutput & { readonly conclusion: Conclusion }): Promise<void> {
    await this.#inTurn(async (id) => {
      this.#options.onCheck?.({ id, end });
      await this.#requests.complete(id, end);
      this.#options.onCheck?.(null);
    });
  }

  async #create(): Promise<Started> {
    try {
      const { id, url } = await this.#requests.create(this.#output());
      this.#id = id;
      this.url = url;
      this.#options.onCheck?.({ id, end: null });
      this.#toldAt = this.#options.now();
      return { ok: true };
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === null) throw error;
      const hint = refusal.kind === 'permission' ? ' Grant `checks: write`.' : '';
      return { ok: false, reason: `There is no check run: ${refusal.reason}.${hint}` };
    }
  }

  #output(): CheckOutput {
    return { title: this.#title, summary: '' };
  }

  #inTurn(write: (id: number) => Promise<void>): Promise<void> {
    const id = this.#id;
    if (id === null) return Promise.resolve();
    const turn = this.#writing.then(() => write(id));
    this.#writing = turn.catch(() => undefined);
    return turn;
  }
}
