/** What is used of it here: TypeScript knows WebAssembly only together with a browser's document. */
declare namespace WebAssembly {
  /** Sizes are in pages of 64 KiB. */
  class Memory {
    constructor(pages: { initial: number; maximum: number });
    readonly buffer: ArrayBuffer;
  }

  class RuntimeError extends Error {}
}
