import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { newFileIn } from "../new-file.ts";
import { bundleOf } from "../support/bundle.ts";
import { temporary } from "./harness.ts";

it("TL-02 SIGKILL during a 50 MB write leaves a whole file, never half of one", async () => {
  const { directory, path } = temporary();
  await writeFile(path("big.txt"), "a".repeat(50_000_000));
  const child = await bundleOf("./write-big.ts", import.meta.url);
  const rounds = process.env["LATHE_LONG"] === undefined ? 1 : 3;
  for (let round = 0; round < rounds; round++) {
    const process_ = spawn(process.execPath, [child, directory], { stdio: ["ignore", "pipe", "inherit"] });
    const writing = newFileIn(directory);
    await once(process_.stdout, "data");
    await writing;
    process_.kill("SIGKILL");
    await once(process_, "exit");
    const text = await readFile(path("big.txt"), "latin1");
    expect([text.length, text === (text[0] as string).repeat(text.length)]).toEqual([50_000_000, true]);
  }
});
