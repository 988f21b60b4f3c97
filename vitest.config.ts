import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['__tests__/**/*.test.ts'],
    // Test files keep no state beyond themselves, so they share their workers: what they import is loaded once.
    isolate: false,
    maxWorkers: availableParallelism(),
    // Long enough for a busy machine: nothing is measured by it, it only ends what hangs.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ['dot'],
    setupFiles: ['__tests__/fakes/spawner/spawn-elsewhere.ts'],
    globalSetup: ['__tests__/global-setup.ts'],
  },
});
