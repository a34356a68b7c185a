import { fileURLToPath } from "node:url";
import { defaultServerConditions } from "vite";
import { configDefaults, defineConfig } from "vitest/config";
import { parserOfTests } from "./scripts/parser-of-tests.ts";
import { renewedProcesses } from "./scripts/renewed-processes.ts";
import { sharedTests } from "./scripts/shared-tests.ts";
import { LongFirst } from "./scripts/test-order.ts";

// Tests run the TypeScript sources of every package directly, through the "lathe-source" export condition.
const conditions = ["lathe-source", ...defaultServerConditions];

// A markdown file is a module whose default export is its text, as in the build.
const markdown = {
  name: "markdown-text",
  transform: (source: string, id: string) =>
    /\.(?:md|py|text)$/.test(id) ? { code: `export default ${JSON.stringify(source)};`, map: null } : undefined,
};

const shared = sharedTests(fileURLToPath(new URL(".", import.meta.url)));

// A new object for each project, because vitest modifies it.
const base = () => ({
  plugins: [markdown, parserOfTests],
  define: { LATHE_VERSION: JSON.stringify("0.0.0-test") },
  resolve: { conditions },
  ssr: { resolve: { conditions } },
});

/**
 * Most code of a test runs only a few times: optimizing it, and collecting garbage on four more threads, took a third
 * of these processes' CPU time. Later versions of node do not know the first of these flags.
 */
const FOR_SHORT_RUNS = [
  ...(process.versions.node.startsWith("20.") ? ["--interrupt-budget=1000000"] : []),
  "--single-threaded-gc",
  "--min-semi-space-size=16",
];

const test = {
  execArgv: FOR_SHORT_RUNS,
  setupFiles: ["scripts/property-seed.ts", "scripts/bytes-equal.ts"],
  // Longer than any wait inside a test, so that the wait's own error is shown and not the runner's.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 60_000 } },
  pool: "forks" as const,
  env: { NODE_EXTRA_CA_CERTS: "" },
};

export default defineConfig({
  ...base(),
  test: {
    // Once per run: tests of the command use the built command.
    globalSetup: ["scripts/build-before-tests.mjs", "scripts/temporary-files.mjs"],
    sequence: { sequencer: LongFirst },
    // One more than the cores of the smallest machine: tests often wait for grace periods, connections and terminals
    // (decision 0301).
    maxWorkers: 4,
    // Both projects and later runs share compiled files. The key is the content of a file and of this configuration.
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
