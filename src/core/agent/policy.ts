/** A call after its arguments were parsed. */
export type RequestedCall = { readonly name: string; readonly arguments: unknown };

export type PolicyDecision =
  | { readonly allowed: true }
  /** The reason goes to the model and to the log. */
  | { readonly allowed: false; readonly reason: string };

/** Asked before every tool call. One that throws denies. */
export type Policy = (call: RequestedCall) => PolicyDecision;
