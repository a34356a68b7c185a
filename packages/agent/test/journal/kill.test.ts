import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Message, textOf } from "@lathe/llm";
import { beforeAll, expect, it } from "vitest";
import { FileStore } from "../../src/record/journal/file-store.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { bundleOf } from "../support/bundle.ts";
import { tempFolder, testDeps, testOwner } from "./support.ts";

const rounds = process.env["LATHE_LONG"] ? 30 : 2;
let child: string;
beforeAll(async () => {
  child = await bundleOf("./kill-child.ts", import.meta.url);
});

/** Resolves with everything that the child had acknowledged when SIGKILL reached it. */
function runAndKill(path: string, afterBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const run = spawn(process.execPath, [child, path], { stdio: ["ignore", "pipe", "inherit"] });
    let said = "";
    run.stdout.on("data", (chunk) => {
      said += chunk;
      if (said.length >= afterBytes) run.kill("SIGKILL");
    });
    run.once("error", reject);
    run.once("close", () => resolve(said));
  });
}

it.each(Array.from({ length: rounds }, (_, round) => round))(
  "G-28 SIGKILL while appending (run %i): nothing acknowledged is lost and the next writer goes on",
  async (round) => {
    const path = join(tempFolder(), "s.jsonl");
    const said = await runAndKill(path, 1 + round * 700);
    const acknowledged = said.split("\n").filter((line) => line !== "");
    expect(acknowledged.length).toBeGreaterThan(0);
    expect(existsSync(`${path}.lock`)).toBe(true);

    const journal = Journal.open(new FileStore(path, { owner: testOwner() }), testDeps());
    const found = journal.context.messages.map((message) => textOf(message).split(" ")[1]);
    expect(found.slice(0, acknowledged.length)).toEqual(acknowledged);
    expect(found.length - acknowledged.length).toBeLessThanOrEqual(1);
    expect(journal.losses.every((loss) => loss.kind === "torn_tail")).toBe(true);
    journal.append({ type: "message", message: Message.user("on") });
    await journal.close();
    const again = Journal.open(new FileStore(path), testDeps());
    expect(again.losses).toEqual([]);
    expect(again.context.messages).toHaveLength(found.length + 1);
  },
  120_000,
);
