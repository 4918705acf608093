import { defineConfig } from 'vitest/config';

export default defineConfig({
  plugins: [
    {
      name: 'markdown',
      transform: (source, id) => (id.endsWith('.md') ? `export default ${JSON.stringify(source)};` : null),
    },
  ],
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup.ts'],
    reporters: ['default', './scripts/reporter.ts'],
    testTimeout: 30_000,
    maxWorkers: 2,
  },
});
