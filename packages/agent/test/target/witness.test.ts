import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { has } from "../programs.ts";

const loader = fileURLToPath(new URL("../../../../scripts/source-loader.mjs", import.meta.url));
const program = fileURLToPath(new URL("./read-one.ts", import.meta.url));

it.skipIf(!has("strace"))(
  "T-READ-1 the system saw it: the real file is opened, never the link, and the descriptor is asked where it stands (needs strace)",
  { timeout: 180_000 },
  () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-witness-")));
    try {
      writeFileSync(join(folder, "real.txt"), "the text\n");
      symlinkSync(join(folder, "real.txt"), join(folder, "link.txt"));
      const trace = join(folder, "trace");
      const node = [
        process.execPath,
        "--conditions=lathe-source",
        "--import",
        loader,
        program,
        join(folder, "link.txt"),
      ];
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
