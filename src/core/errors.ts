/** Something the person who wrote the workflow can fix. Shown without a stack trace; `hint` is the next step. */
export class UserError extends Error {
  override readonly name = 'UserError';
  readonly hint: string;

  constructor(message: string, options: { hint: string; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.hint = options.hint;
  }
}

/** The model's mistake: the text goes back to it as the tool's answer, and it tries again. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

/** One text for a person: what happened, why (the causes), and what to do next. */
export function explain(error: unknown): string {
  const told = reasons(error).join(' ');
  return error instanceof UserError ? withHint(told, error.hint) : told;
}

/** Behind a list the next step is no part of its last item. */
export function withHint(told: string, hint: string): string {
  return `${told}${told.includes('\n') ? '\n' : ' '}${hint}`.trimEnd();
}

/** The message of an error and of every cause below it, outermost first, each as a sentence, none twice. */
export function reasons(error: unknown): readonly string[] {
  const sentences: string[] = [];
  let current: unknown = error;
  while (current !== undefined && current !== null && sentences.length < 8) {
    const sentence = asSentence(current instanceof Error ? current.message : String(current));
    if (sentence !== '' && !sentences.includes(sentence)) sentences.push(sentence);
    current = current instanceof Error ? current.cause : undefined;
  }
  return sentences;
}

function asSentence(text: string): string {
  const trimmed = text.trim();
  return trimmed === '' || /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}

/** The words of an address that no request can ever be sent to: a port or scheme that clients refuse, a certificate that proves nothing. */
export function isUnusableAddress(reason: string): boolean {
  return /\bbad port\b|unknown scheme|invalid url|certificate|wrong version number|\bERR_(?:TLS|SSL)_/i.test(reason);
}

/** What to do about a certificate that is not trusted, and where; null for any other reason. */
export function trustHint(reason: string, variable: 'NODE_EXTRA_CA_CERTS' | 'GIT_SSL_CAINFO'): string | null {
  if (!/certificate/i.test(reason)) return null;
  return `Name a file with the certificate of the server or proxy in ${variable}.`;
}
