// The published packages under Bun: a session with real commands, files and a journal, killed and opened again.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gate, startModelServer, turn } from "@lathe/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BUN, hasBun, type Installed, installPackages } from "../../../scripts/installed-packages.ts";

const PROGRAM = `
import { defineProfile, FAMILIES, LocalEnvironment, openJournalFile, Session } from "@lathe/agent";
import { Client, defaultDeps } from "@lathe/llm";

const [, , cwd, baseUrl] = process.argv;
const deps = defaultDeps({ env: { OPENAI_API_KEY: "k", OPENAI_BASE_URL: baseUrl } });
const session = Session.resume({
  profile: defineProfile(FAMILIES.openai, { model: "gpt-5.2" }),
  env: new LocalEnvironment({ cwd, baseEnv: process.env }),
  client: Client.fromEnv({ env: deps.env }),
  journal: openJournalFile({ path: cwd + "/task.jsonl", cwd, deps }),
  deps,
});
const shown = (async () => {
  for await (const event of session.events()) {
    if (event.kind === "tool_call_end") console.log(event.data.tool_name, event.data.is_error ? "failed" : "ok");
    if (event.kind === "processing_end") console.log(event.data.reason);
  }
})();
if (session.hasUnfinishedInput) await session.continue();
else await session.submit("do it");
await session.close();
await shown;
`;

describe.skipIf(!hasBun)("under Bun, from scripts/setup-system.sh", () => {
  let installed: Installed;
  let program = "";
  let cwd = "";
  beforeAll(async () => {
    installed = await installPackages(["llm", "agent"]);
    program = installed.write("program.js", PROGRAM);
    cwd = mkdtempSync(join(tmpdir(), "lathe-bun-"));
  });
  afterAll(() => {
    installed.remove();
    rmSync(cwd, { recursive: true });
  });

  it("runs commands, edits and searches, and ends on its own", async () => {
    const daemon = `sleep 3600.${process.pid}`;
    const patch = "*** Begin Patch\n*** Update File: a.txt\n@@\n-hello\n+goodbye\n*** End Patch";
    await using server = await startModelServer({
      script: [
        turn.calls([{ name: "shell", args: { command: `echo hello | tee a.txt; ${daemon} &` } }]),
        turn.calls([{ name: "apply_patch", args: { patch } }]),
        turn.calls([{ name: "grep", args: { pattern: "goodbye", path: "a.txt" } }]),
        turn.text("done"),
      ],
    });
    const child = spawn(BUN, [program, cwd, server.baseUrl("openai")], { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    const [code] = (await once(child, "close")) as [number];
    expect(output.trim().split("\n")).toEqual(["shell ok", "apply_patch ok", "grep ok", "completed"]);
    expect(code).toBe(0);
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("goodbye\n");
    expect(server.requests[1]?.rawBody.toString()).toContain("hello");
    // The processes that the command left behind ended with the session.
    expect(execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })).not.toContain(daemon);
  });

  it("killed in the middle and opened again, it continues with what it had", async () => {
    rmSync(join(cwd, "task.jsonl"), { force: true });
    const held = gate();
    await using server = await startModelServer({
      script: [
        turn.calls([{ name: "shell", args: { command: "echo once >> log.txt" } }]),
        turn.text("cut", { before: () => held.wait() }),
        turn.text("finished"),
      ],
    });
    const first = spawn(BUN, [program, cwd, server.baseUrl("openai")], { stdio: "ignore" });
    await held.reached;
    first.kill("SIGKILL");
    await once(first, "close");
    held.open();
    const second = spawn(BUN, [program, cwd, server.baseUrl("openai")], { stdio: ["ignore", "pipe", "inherit"] });
    let output = "";
    second.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    const [code] = (await once(second, "close")) as [number];
    expect([output.trim(), code]).toEqual(["completed", 0]);
    expect(readFileSync(join(cwd, "log.txt"), "utf8")).toBe("once\n");
  });
});
