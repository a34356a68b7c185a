import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { newFileIn } from "../new-file.ts";
import { temporary } from "./harness.ts";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const child = fileURLToPath(new URL("./write-big.ts", import.meta.url));

it("TL-02 SIGKILL during a 50 MB write leaves a whole file, never half of one", async () => {
  const { directory, path } = temporary();
  await writeFile(path("big.txt"), "a".repeat(50_000_000));
  for (let round = 0; round < 3; round++) {
    const loader = `${root}/scripts/source-loader.mjs`;
    const process_ = spawn(process.execPath, ["--conditions=lathe-source", "--import", loader, child, directory], {
      cwd: root,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const writing = newFileIn(directory);
    await once(process_.stdout, "data");
    await writing;
    process_.kill("SIGKILL");
    await once(process_, "exit");
    const text = await readFile(path("big.txt"), "latin1");
    expect([text.length, text === (text[0] as string).repeat(text.length)]).toEqual([50_000_000, true]);
  }
});
