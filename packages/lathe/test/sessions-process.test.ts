import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CLI, type Sandbox, sandbox } from "./command.ts";
import { saySomething, sessionMaker } from "./sessions-fixture.ts";
import { hasScript, Terminal } from "./terminal.ts";

let box: Sandbox;
beforeEach(async () => {
  box = await sandbox({ sample: true });
});
afterEach(() => box.remove());

const PRACTICE = ["--model", "practice/basic", "--permission-mode", "full"];

describe("sessions and processes", () => {
  it("LS-02 after a kill -9 between two tool results, every completed message is there and no line is torn", async () => {
    const child = box.start([...PRACTICE, "--mode", "json", "-p", "fix the failing test"]);
    child.stdin.end();
    const ended = once(child, "exit");
    const done: { readonly toolCallId: string }[] = [];
    for await (const line of createInterface({ input: child.stdout })) {
      const event = JSON.parse(line) as { type: string; toolCallId: string };
      if (event.type === "tool_execution_end") done.push(event);
      if (done.length === 2) break;
    }
    child.kill("SIGKILL");
    await ended;
    const { stdout, code } = await box.run(["sessions", "doctor"]);
    expect(stdout).toContain("Locked by a process that has ended");
    expect(stdout).toContain("1 session file checked, 1 problem.");
    expect(code).toBe(1);
    const [listed] = JSON.parse((await box.run(["sessions", "list", "--json"])).stdout) as { id: string }[];
    const shown = (await box.run(["sessions", "show", listed?.id ?? "", "--full"])).stdout;
    expect(shown).toContain("> user\nfix the failing test");
    expect(shown).toContain("exit code: 0");
    expect(shown).toContain("not ok 3");
    expect((await box.run([...PRACTICE, "--continue", "-p", "show package.json"])).code).toBe(0);
    expect((await box.run(["sessions", "doctor"])).stdout).toContain("no problems");
  });

  it("several processes may build the search index at once", async () => {
    const maker = sessionMaker(box.env["LATHE_HOME"] ?? "", box.dir);
    const made = await saySomething(maker, "where is the quetzal", "in the tree");
    for (let at = 0; at < 50; at++) await saySomething(maker, `prompt ${at}`, "word ".repeat(2000));
    const found = await Promise.all([1, 2, 3].map(() => box.runBuilt(["sessions", "search", "quetzal"])));
    for (const { stdout, stderr, code } of found) {
      expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
      expect(stdout).toContain(made.id.slice(0, 8));
    }
  });

  it("a session kept elsewhere is remembered, so that its blobs stay", async () => {
    const path = join(box.dir, "talk.jsonl");
    expect((await box.run([...PRACTICE, "--session", path, "-p", "show package.json"])).code).toBe(0);
    expect((await box.run(["sessions", "doctor"])).stdout).toContain("1 session file checked, no problems.");
    expect((await box.run(["sessions", "show", path])).stdout).toContain("show package.json");
  });

  it("output cut off by the reader ends quietly", async () => {
    const maker = sessionMaker(box.env["LATHE_HOME"] ?? "", box.dir);
    const { id } = await saySomething(maker, "hello", "line\n".repeat(200_000));
    const child = box.start(["sessions", "show", id]);
    let stderr = "";
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      stderr += chunk;
    });
    child.stdout.once("data", () => child.stdout.destroy());
    await once(child, "close");
    expect(stderr).toBe("");
  });

  it.skipIf(!hasScript)("a search at a terminal marks its hits, and what a session holds marks nothing", async () => {
    const maker = sessionMaker(box.env["LATHE_HOME"] ?? "", box.dir);
    await saySomething(maker, "where is the heron \u001b[31mred", "at the pond");
    const terminal = new Terminal(box);
    try {
      const { output, code } = await terminal.run(`${process.execPath} ${CLI} sessions search heron`);
      expect(code).toBe(0);
      expect(output).toContain("the \u001b[1mheron\u001b[22m");
      expect(output).not.toContain("\\x1b");
      expect(output).not.toContain("\u001b[31m");
    } finally {
      await terminal.close();
    }
  });
});
