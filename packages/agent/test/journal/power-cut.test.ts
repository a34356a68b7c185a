// We cannot test a power cut here, but we can check that the disk was asked to keep what must survive one.

import { execFileSync } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { has } from "../programs.ts";
import { bundleOf } from "../support/bundle.ts";
import { tempFolder } from "./support.ts";

it.skipIf(!has("strace"))(
  "SP-01 a session file that is new survives a power cut: its folder is synced once, the file each time (needs strace)",
  async () => {
    const child = await bundleOf("./sync-child.ts", import.meta.url);
    const folder = realpathSync(tempFolder());
    const trace = join(folder, "trace");
    const node = [process.execPath, child, join(folder, "s.jsonl")];
    execFileSync("strace", ["-f", "-y", "-o", trace, "-e", "trace=fsync,fdatasync", ...node]);
    const synced = [...readFileSync(trace, "utf8").matchAll(/\bf(?:data)?sync\(\d+<([^>]*)>/g)].map(([, path]) => path);
    // The first write waits for both, which two threads do at once.
    expect(synced.slice(0, 2).sort()).toEqual([folder, join(folder, "s.jsonl")]);
    expect(synced.slice(2)).toEqual([join(folder, "s.jsonl")]);
  },
);
