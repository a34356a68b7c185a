import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { has } from "../programs.ts";
import { bundleOf } from "../support/bundle.ts";

it.skipIf(!has("strace"))(
  "T-READ-1 the system saw it: the real file is opened, never the link, and the descriptor is asked where it stands (needs strace)",
  { timeout: 180_000 },
  async () => {
    const program = await bundleOf("./read-one.ts", import.meta.url, { isSplit: true });
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-witness-")));
    try {
      writeFileSync(join(folder, "real.txt"), "the text\n");
      symlinkSync(join(folder, "real.txt"), join(folder, "link.txt"));
      const trace = join(folder, "trace");
      const node = [process.execPath, program, join(folder, "link.txt")];
      const shown = execFileSync("strace", ["-f", "-o", trace, "-e", "trace=openat,open,readlink,readlinkat", ...node]);
      expect(shown.toString()).toContain("1:the text");
      const calls = readFileSync(trace, "utf8").split("\n");
      const opened = calls.findIndex((call) => /open(?:at)?\(/.test(call) && call.includes(`"${folder}/real.txt"`));
      const asked = calls.findIndex((call) => /readlink/.test(call) && /\/proc\/self\/fd\/\d+"/.test(call));
      expect(opened).toBeGreaterThan(-1);
      expect(asked).toBeGreaterThan(opened);
      expect(calls.filter((call) => /open(?:at)?\(/.test(call) && call.includes("link.txt"))).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);
