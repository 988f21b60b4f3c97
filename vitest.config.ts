import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

// They wait for what they started: begun last, they would leave the other cores without work.
const slowest = /growth|undelivered|unseen-code|delivery.matrix/;

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rest = await super.sort(files);
    return rest.sort((one, other) => Number(slowest.test(other.moduleId)) - Number(slowest.test(one.moduleId)));
  }
}

export default defineConfig({
  // Packages as users have them: without it Node would load their `development` half, which checks itself at every step.
  ssr: { resolve: { conditions: ['node', 'module'] } },
  test: {
    include: ['__tests__/**/*.test.ts'],
    // Test files keep no state beyond themselves, so they share their workers: what they import is loaded once.
    isolate: false,
    maxWorkers: availableParallelism(),
    // Most of what a run allocates is gone at once: a larger young generation is collected less often, which saves a tenth.
    execArgv: ['--max-semi-space-size=32'],
    // Long enough for a busy machine: nothing is measured by it, it only ends what hangs.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    sequence: { sequencer: SlowestFirst },
    reporters: ['dot'],
    setupFiles: ['__tests__/fakes/spawner/spawn-elsewhere.ts'],
    globalSetup: ['__tests__/global-setup.ts'],
  },
});
