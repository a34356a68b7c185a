// Another process renames and relinks while files are read: the shown file is the one that was judged.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { toolBench } from "../../../test/call-tool.ts";
import { readTool } from "../../tools/builtin/read/index.ts";

const ROUNDS = (process.env["LATHE_LONG"] ?? "") === "" ? 200 : 10_000;

/** Swaps `spot` between a regular file, a hard link, a link, and a directory link on the path, as fast as it can. */
const SWAPPER = `
const fs = require("node:fs");
const [,, dir] = process.argv;
process.chdir(dir);
const ways = [
  () => { fs.writeFileSync("t", "public\\n"); fs.renameSync("t", "way/spot"); },
  () => { fs.rmSync("t", { force: true }); fs.linkSync("secret/spot", "t"); fs.renameSync("t", "way/spot"); },
  () => { fs.rmSync("t", { force: true }); fs.symlinkSync(dir + "/secret/spot", "t"); fs.renameSync("t", "way/spot"); },
  () => { fs.renameSync("way", "old"); fs.symlinkSync("secret", "way"); fs.unlinkSync("way"); fs.renameSync("old", "way"); },
];
process.stdout.write("ready");
for (let i = 0; ; i++) { try { ways[i % 4](); } catch {} }
`;

it("T-READ-1 10,000 reads among concurrent swaps show only what was judged, or are refused", async () => {
  const bench = await toolBench();
  mkdirSync(join(bench.dir, "way"));
  mkdirSync(join(bench.dir, "secret"));
  writeFileSync(join(bench.dir, "secret/spot"), "SECRET\n");
  writeFileSync(join(bench.dir, "way/spot"), "public\n");
  const secret = (await bench.env.stat("secret/spot"))?.file;
  const swapper = spawn(process.execPath, ["-e", SWAPPER, "-", bench.dir], { stdio: ["ignore", "pipe", "inherit"] });
  let shown = 0;
  let refused = 0;
  try {
    await once(swapper.stdout, "data");
    for (let round = 0; round < ROUNDS; round++) {
      let judged: string | undefined;
      const tool: typeof readTool = {
        ...readTool,
        access: async (args, scope) => {
          const access = await readTool.access!(args, scope);
          judged = (await scope.paths.locate(args.path)).stat?.file;
          return access;
        },
      };
      const text = await bench
        .text(tool, { path: "way/spot" }, async () => {})
        .catch((error: Error) => `refused: ${error.message}`);
      if (text.startsWith("refused:")) refused++;
      else {
        shown++;
        expect(text.includes("SECRET")).toBe(judged === secret);
      }
    }
  } finally {
    swapper.kill("SIGKILL");
    await once(swapper, "exit");
    await bench.close();
  }
  expect(shown + refused).toBe(ROUNDS);
  expect(shown).toBeGreaterThan(0);
});
