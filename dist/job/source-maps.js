if (process.env.RUNNER_DEBUG === '1') await import('./sourcemap-register.cjs');
