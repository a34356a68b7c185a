// Values that an extension keeps from one run to the next, in one JSON file per extension.

import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { ExtensionStorage } from "../../platform/extension-api/index.ts";
import { readIfThere } from "../../platform/home/small-file.ts";

const MOST_BYTES = 1 << 20;

/** The file is read on first use. */
export function storageIn(file: string): ExtensionStorage {
  let values: Record<string, unknown> | undefined;
  const read = (): Record<string, unknown> => {
    values ??= JSON.parse(readIfThere(file) ?? "{}") as Record<string, unknown>;
    return values;
  };
  return {
    get: <T>(key: string) => read()[key] as T | undefined,
    set: (key, value) => {
      const next = { ...read() };
      if (value === undefined) delete next[key];
      else next[key] = value;
      const text = JSON.stringify(next);
      if (text.length > MOST_BYTES) throw new Error(`storage holds ${MOST_BYTES} bytes at most`);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(`${file}.new`, text, { mode: 0o600 });
      renameSync(`${file}.new`, file);
      values = JSON.parse(text) as Record<string, unknown>;
    },
    keys: () => Object.keys(read()),
  };
}
