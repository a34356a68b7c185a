import { fileURLToPath } from "node:url";
import { defaultServerConditions } from "vite";
import { configDefaults, defineConfig } from "vitest/config";
import { parserOfTests } from "./scripts/parser-of-tests.ts";
import { renewedProcesses } from "./scripts/renewed-processes.ts";
import { sharedTests } from "./scripts/shared-tests.ts";
import { LongFirst } from "./scripts/test-order.ts";

// Tests run the TypeScript sources of every package directly: the "lathe-source" export condition names them.
const conditions = ["lathe-source", ...defaultServerConditions];

// A markdown file is a module whose default export is its text, as in the build.
const markdown = {
  name: "markdown-text",
  transform: (source: string, id: string) =>
    /\.(?:md|py|text)$/.test(id) ? { code: `export default ${JSON.stringify(source)};`, map: null } : undefined,
};

const shared = sharedTests(fileURLToPath(new URL(".", import.meta.url)));

// A new one for each: vitest changes what it is given.
const base = () => ({
  plugins: [markdown, parserOfTests],
  define: { LATHE_VERSION: JSON.stringify("0.0.0-test") },
  resolve: { conditions },
  ssr: { resolve: { conditions } },
});

/**
 * Most code of a test runs a few times: to optimise it, and to collect garbage on four more threads, took a third of the processor
 * time of these processes. Later versions of node do not know the first of these flags.
 */
const FOR_SHORT_RUNS = [
  ...(process.versions.node.startsWith("20.") ? ["--interrupt-budget=1000000"] : []),
  "--single-threaded-gc",
  "--min-semi-space-size=16",
];

const test = {
  execArgv: FOR_SHORT_RUNS,
  setupFiles: ["scripts/property-seed.ts", "scripts/bytes-equal.ts"],
  // Longer than the patience of anything that a test waits for: what did not come is said by the wait, not by the runner.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 60_000 } },
  pool: "forks" as const,
  env: { NODE_EXTRA_CA_CERTS: "" },
};

export default defineConfig({
  ...base(),
  test: {
    // Once for the whole run. Tests of the command run what is built.
    globalSetup: ["scripts/build-before-tests.mjs", "scripts/temporary-files.mjs"],
    sequence: { sequencer: LongFirst },
    // One more than the cores of the smallest machine: much of the time a test waits for grace periods, connections and terminals
    // (decision 0301).
    maxWorkers: 4,
    // Both projects and later runs use what one has compiled. The key is the content of a file and of this configuration.
    experimental: { fsModuleCache: true, fsModuleCachePath: ".cache/modules" },
    projects: [
      {
        ...base(),
        test: {
          ...test,
          name: "own-process",
          include: ["packages/*/{src,test}/**/*.test.ts", "scripts/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...shared],
        },
      },
      {
        ...base(),
        test: { ...test, name: "shared-process", include: shared, isolate: false, pool: renewedProcesses },
      },
    ],
  },
});
