import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";

// Tests run the TypeScript sources of every package directly: the "lathe-source" export condition names them.
const conditions = ["lathe-source", ...defaultServerConditions];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/{src,test}/**/*.test.ts", "scripts/**/*.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: "forks",
    maxWorkers: 2,
    env: { NODE_EXTRA_CA_CERTS: "" },
  },
});
