import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Long enough for a busy machine: nothing is measured by it, it only ends what hangs.
const patience = { testTimeout: 120_000, hookTimeout: 120_000 };
const pure = ['__tests__/core/**/*.test.ts'];

export default defineConfig({
  test: {
    maxWorkers: availableParallelism(),
    reporters: ['dot'],
    globalSetup: ['__tests__/global-setup.ts'],
    projects: [
      // Core keeps no state, so its files share their workers.
      { test: { ...patience, name: 'core', include: pure, isolate: false } },
      { test: { ...patience, name: 'outside', include: ['__tests__/**/*.test.ts'], exclude: pure } },
    ],
  },
});
