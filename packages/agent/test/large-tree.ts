// A big source tree on disk, generated in about a second, for search tests and benchmarks.

import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface LargeTree {
  readonly root: string;
  /** Files that git would see, relative to the root. */
  readonly files: number;
}

/** `directories` x 100 files; every 1,000th contains `rareWord`, and each tenth directory is gitignored. */
export function makeLargeTree(directories: number): LargeTree {
  const root = mkdtempSync(join(tmpdir(), "lathe-tree-"));
  writeFileSync(join(root, ".gitignore"), "generated-*/\n");
  const filler = "export function common(value: number) {\n  return value + 1; // commonWord\n}\n".repeat(8);
  let count = 0;
  for (let d = 0; d < directories; d++) {
    const directory = join(root, `part-${d % 20}`, `${d % 10 === 9 ? "generated" : "module"}-${d}`);
    mkdirSync(directory, { recursive: true });
    for (let f = 0; f < 100; f++) {
      const rare = count++ % 1000 === 0 ? "const rareWord = true;\n" : "";
      writeFileSync(join(directory, `file-${f}.${f % 4 === 0 ? "md" : "ts"}`), rare + filler);
    }
  }
  return { root, files: Math.ceil((directories * 9) / 10) * 100 };
}
