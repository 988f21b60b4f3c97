import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['__tests__/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Scenarios start the built bundle, which waits a second between writes: three at once fill the two cores of a small runner.
    maxWorkers: 3,
  },
});
