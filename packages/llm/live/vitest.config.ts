// The opt-in run against real services: see smoke.test.ts.

import { defaultServerConditions } from "vite";
import { defineConfig } from "vitest/config";

const conditions = ["lathe-source", ...defaultServerConditions];

export default defineConfig({
  root: import.meta.dirname,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: { include: ["*.test.ts"], fileParallelism: false },
});
