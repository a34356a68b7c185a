// A project that uses one name in many files with odd file names, byte order marks, line endings and characters.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const STEMS = ["plain", "sp ace", "per%41cent", "ha#sh", "cafe\u0301", "caf\u00e9", "q'uote", "emoji 👋"];

/** Files with their texts; every `greet` in them is the same function. */
export function manyFiles(count: number): Record<string, string> {
  const compilerOptions = { strict: true, noEmit: true, module: "nodenext", types: [], skipLibCheck: true };
  const files: Record<string, string> = {
    "tsconfig.json": JSON.stringify({ compilerOptions, include: ["src"] }),
    "src/def.ts": "export function greet(name: string): string {\n  return name;\n}\n",
  };
  for (let n = 1; n < count; n++) {
    const lines = [
      'import { greet } from "../def.js";',
      `export const v${n} = /* 👋é\u0301 */ greet("${"é".repeat(n % 5)}") + greet(greet("x"));`,
      `export const same${n} = { call: greet };`,
      "",
    ];
    const text = lines.join(n % 3 === 0 ? "\r\n" : "\n");
    files[`src/d${n % 7}/${STEMS[n % STEMS.length]}${n}.ts`] = (n % 4 === 0 ? "\uFEFF" : "") + text;
  }
  return files;
}

export const renameIn = (files: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).map(([name, text]) => [name, text.replaceAll(/\bgreet\b/g, "hail")]));

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** The current files without `node_modules`. */
export function readFiles(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(
    paths
      .map((path) => [path.slice(folder.length + 1), path] as const)
      .filter(([name]) => !name.startsWith("node_modules/"))
      .map(([name, path]) => [name, readFileSync(path, "utf8")]),
  );
}
