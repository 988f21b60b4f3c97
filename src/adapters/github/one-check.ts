import type { CheckAnnotation } from '../../core/report/check-annotations.ts';
import { visibleLine } from '../../core/report/invisible.ts';
import type { CheckRunOptions } from './check-run-options.ts';
import { refusalOf } from './refusal.ts';

export type Started = { readonly ok: true } | { readonly ok: false; readonly reason: string };

/** What the checks API takes in one request. */
const annotationsARequest = 50;
/** Progress is told at most so often, and so many times: each is a write. */
const tellMilliseconds = 10_000;
const toldAtMost = 20;

type Output = { readonly title: string; readonly summary: string };

/** The one check of a run, from its creation to its conclusion. Its writes go out one after the other. */
export class OneCheck {
  readonly #options: CheckRunOptions;
  #id: number | null = null;
  /** Address of the check; null until it was created. */
  url: string | null = null;
  #creating: Promise<Started> | null = null;
  #writing: Promise<unknown> = Promise.resolve();
  #toldAt = 0;
  #told = 0;
  #title = 'The review is running.';

  constructor(options: CheckRunOptions) {
    this.#options = options;
  }

  /** Creates the check; nobody has to wait for it. */
  start(): void {
    this.#creating ??= this.#create();
    // Whoever asks whether it started is told what went wrong.
    this.#creating.catch(() => undefined);
  }

  /** Whether there is a check, once it is known. */
  started(): Promise<Started> {
    this.start();
    return this.#creating ?? this.#create();
  }

  /** A line of progress, when the last one is some seconds old. Never waits and never fails. */
  tell(text: string): void {
    const now = this.#options.now();
    if (this.#id === null || this.#told >= toldAtMost || now - this.#toldAt < tellMilliseconds) return;
    this.#toldAt = now;
    this.#told += 1;
    this.#title = visibleLine(this.#options.redact(text)).slice(0, 200);
    this.#inTurn(() => this.#update({ status: 'in_progress', output: this.#output() })).catch(() => undefined);
  }

  /** Adds annotations, 50 a request. */
  async annotate(annotations: readonly CheckAnnotation[]): Promise<void> {
    for (let start = 0; start < annotations.length; start += annotationsARequest) {
      const page = annotations.slice(start, start + annotationsARequest).map(asParameters);
      await this.#inTurn(() => this.#update({ output: { ...this.#output(), annotations: page } }));
    }
  }

  async complete(end: Output & { readonly conclusion: 'success' | 'neutral' | 'failure' | 'skipped' }): Promise<void> {
    const { conclusion, title, summary } = end;
    const completed_at = new Date(this.#options.now()).toISOString();
    await this.#inTurn(() =>
      this.#update({ status: 'completed', conclusion, completed_at, output: { title, summary } }),
    );
  }

  async #create(): Promise<Started> {
    const { github, reference, headSha, name, detailsUrl, now } = this.#options;
    try {
      const answer = await github.rest.checks.create({
        owner: reference.owner,
        repo: reference.repository,
        name,
        head_sha: headSha,
        status: 'in_progress',
        started_at: new Date(now()).toISOString(),
        output: this.#output(),
        ...(detailsUrl === null ? {} : { details_url: detailsUrl }),
      });
      this.#id = answer.data.id;
      this.url = answer.data.html_url;
      this.#toldAt = now();
      return { ok: true };
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal === null) throw error;
      const hint = refusal.kind === 'permission' ? ' Grant `checks: write`.' : '';
      return { ok: false, reason: `There is no check run: ${refusal.reason}.${hint}` };
    }
  }

  #output(): Output {
    return { title: this.#title, summary: '' };
  }

  async #update(change: Change): Promise<void> {
    const { github, reference } = this.#options;
    if (this.#id === null) return;
    const { owner, repository: repo } = reference;
    await github.rest.checks.update({ owner, repo, check_run_id: this.#id, ...change });
  }

  #inTurn(write: () => Promise<void>): Promise<void> {
    const turn = this.#writing.then(write);
    this.#writing = turn.catch(() => undefined);
    return turn;
  }
}

type Parameters = ReturnType<typeof asParameters>;
type Change = {
  readonly status?: 'in_progress' | 'completed';
  readonly conclusion?: 'success' | 'neutral' | 'failure' | 'skipped';
  readonly completed_at?: string;
  readonly output: Output & { annotations?: Parameters[] };
};

function asParameters({ path, startLine, endLine, level, title, message }: CheckAnnotation) {
  return { path, start_line: startLine, end_line: endLine, annotation_level: level, title, message };
}
