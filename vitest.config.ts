import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";

// Tests run the TypeScript sources of every package directly: the "lathe-source" export condition names them.
const conditions = ["lathe-source", ...defaultServerConditions];

// A markdown file is a module whose default export is its text, as in the build.
const markdown = {
  name: "markdown-text",
  transform: (source: string, id: string) =>
    id.endsWith(".md") ? { code: `export default ${JSON.stringify(source)};`, map: null } : undefined,
};

export default defineConfig({
  plugins: [markdown],
  define: { LATHE_VERSION: JSON.stringify("0.0.0-test") },
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/{src,test}/**/*.test.ts", "scripts/**/*.test.ts"],
    // Tests of the command run what is built.
    globalSetup: ["scripts/build-before-tests.mjs"],
    setupFiles: ["scripts/property-seed.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
    env: { NODE_EXTRA_CA_CERTS: "" },
  },
});
