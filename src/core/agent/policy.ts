/** A call after its arguments were parsed. */
export type RequestedCall = { readonly name: string; readonly arguments: unknown };

export type PolicyDecision =
  | { readonly allowed: true }
  /** The reason goes to the model and to the log. */
  | {
      readonly allowed: false;
      readonly reason: string;
      /** No later call can be allowed either (the calls of the run are used up): the run goes to its last call. */
      readonly exhausted?: boolean;
    };

/** Asked before every tool call. One that throws denies. */
export type Policy = (call: RequestedCall) => PolicyDecision;
