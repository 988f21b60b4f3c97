/** The methods of a port that answer with a promise. */
export type MethodOf<Port> = {
  [Name in keyof Port]: Port[Name] extends (...args: never[]) => Promise<unknown> ? Name : never;
}[keyof Port] &
  string;
export type ArgumentsOf<Port, Name extends keyof Port> = Port[Name] extends (...args: infer Args) => unknown
  ? Args
  : never;
export type AnswerOf<Port, Name extends keyof Port> = Port[Name] extends (...args: never[]) => Promise<infer Answer>
  ? Answer
  : never;

/** What is done around each method: `proceed` calls the method itself, with the same arguments. */
export type Around<Port> = {
  readonly [Name in MethodOf<Port>]?: (
    proceed: () => Promise<AnswerOf<Port, Name>>,
    ...args: ArgumentsOf<Port, Name>
  ) => Promise<AnswerOf<Port, Name>>;
};

/** Decorates a port: the methods that `around` names go through it, all others stay as they are. */
export function wrapPort<Port extends object>(port: Port, around: Around<Port>): Port;
export function wrapPort(port: object, around: object): object {
  return new Proxy(port, {
    get: (target, name) => {
      const method = Reflect.get(target, name);
      const decorate = Object.hasOwn(around, name) ? Reflect.get(around, name) : undefined;
      if (typeof method !== 'function') return method;
      const call = (...args: readonly unknown[]) => Reflect.apply(method, target, args);
      if (typeof decorate !== 'function') return call;
      return (...args: readonly unknown[]) => decorate(() => call(...args), ...args);
    },
  });
}

/** One call of a port. */
export type PortCall = { readonly method: string; readonly args: readonly unknown[] };

/** Makes an object whose methods all call `answer`. */
export function portFrom(methods: readonly string[], answer: (call: PortCall) => Promise<unknown>): object {
  return Object.fromEntries(
    methods.map((method) => [method, (...args: readonly unknown[]) => answer({ method, args })]),
  );
}
