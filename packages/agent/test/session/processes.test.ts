import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ToolDef } from "../../src/contract/tool.ts";
import { editFileTool } from "../../src/tools/builtin/edit-file/index.ts";
import { minimalBashTool } from "../../src/tools/builtin/minimal/bash/index.ts";
import { readFileTool } from "../../src/tools/builtin/read-file/index.ts";
import { shellTool } from "../../src/tools/builtin/shell/index.ts";
import { spawnAgentTool } from "../../src/tools/builtin/spawn-agent/index.ts";
import { waitTool } from "../../src/tools/builtin/wait/index.ts";
import { writeFileTool } from "../../src/tools/builtin/write-file/index.ts";
import { LocalEnvironment } from "../../src/world/env/local.ts";
import { isAlive, until } from "../alive.ts";
import { resultText } from "../support/scripted-client.ts";
import { setUp, testProfile } from "../support/session.ts";

const all = [shellTool, readFileTool, writeFileTool, editFileTool, spawnAgentTool, waitTool] as unknown as ToolDef[];

function place() {
  const folder = mkdtempSync(join(tmpdir(), "lathe-proc-"));
  return { folder, env: new LocalEnvironment({ cwd: folder, baseEnv: { PATH: process.env["PATH"] } }) };
}

/** Prints its pid, then waits with a child process. */
const SLEEPER = "echo pid $$; sleep 60 & echo pid $!; wait";

describe("real processes", () => {
  it("D-006 D-059 EH-03 abort during parallel shells and a child's shell: all dead, the child's session_end first", async () => {
    const { env } = place();
    const pids = new Set<number>();
    let started = (): void => {};
    const running = new Promise<void>((resolve) => {
      started = resolve;
    });
    const shell = (id: string) => ({ name: "shell", args: { command: SLEEPER }, id });
    const s = setUp({
      env,
      profile: testProfile(all),
      script: (request) => {
        const said = request.messages.filter((message) => message.role === "assistant").length;
        if (JSON.stringify(request.messages[1]).includes("child task")) return { calls: [shell("k")] };
        if (said === 0) return { calls: [{ name: "spawn_agent", args: { task: "child task" }, id: "s" }] };
        return { calls: [shell("a"), shell("b")] };
      },
      onEvent: (event) => {
        const inner = event.kind === "subagent_event" ? event.data.event : event;
        if (inner.kind !== "tool_call_output_delta") return;
        for (const match of inner.data.delta.matchAll(/pid (\d+)/g)) pids.add(Number(match[1]));
        if (pids.size === 6) started();
      },
    });
    const submitted = s.session.submit("go");
    await running;
    expect([...pids].every(isAlive)).toBe(true);
    await s.session.abort();
    await submitted;
    expect([...pids].filter(isAlive)).toEqual([]);
    await s.finish();
    const childEnd = s.events.findIndex(
      (event) => event.kind === "subagent_event" && event.data.event.kind === "session_end",
    );
    expect(childEnd).toBeGreaterThan(0);
    expect(childEnd).toBeLessThan(s.events.length - 1);
  });

  it("SA-02 a child starts no job, whose end it would not see; the parent's ends with the session", async () => {
    const { env, folder } = place();
    const job = {
      name: "shell",
      args: { command: "echo $$ > pid.tmp; mv pid.tmp pid; exec sleep 60", background: true },
      id: "job",
    };
    const s = setUp({
      env,
      profile: testProfile(all),
      script: (request) => {
        const said = request.messages.filter((message) => message.role === "assistant").length;
        if (JSON.stringify(request.messages[1]).includes("child task")) {
          return said === 0 ? { calls: [job] } : { text: resultText(request, "job") };
        }
        if (said === 0) return { calls: [job, { name: "spawn_agent", args: { task: "child task" }, id: "s" }] };
        const agentId = JSON.parse(resultText(request, "s")).agent_id;
        return said === 1
          ? { calls: [{ name: "wait", args: { agent_id: agentId }, id: "w" }] }
          : { text: resultText(request, "w") };
      },
    });
    await s.session.submit("go");
    expect(s.session.lastText()).toContain("Background commands cannot run here. Run the command without background.");
    await until(() => existsSync(join(folder, "pid")));
    const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
    expect(isAlive(pid)).toBe(true);
    await s.finish();
    expect(isAlive(pid)).toBe(false);
  });

  it("EH-01 D-055 every kind of tool failure is an answer to the model; the session is idle at the end", async () => {
    const { env, folder } = place();
    writeFileSync(join(folder, "a.txt"), "one\none\n");
    writeFileSync(join(folder, "locked.txt"), "x", { mode: 0o000 });
    const calls = [
      { name: "read_file", args: { file_path: "missing.txt" }, id: "not_found" },
      { name: "edit_file", args: { file_path: "a.txt", old_string: "one", new_string: "two" }, id: "conflict" },
      { name: "shell", args: { command: "exit 3" }, id: "exit" },
      { name: "shell", args: { command: "sleep 5", timeout_ms: 50 }, id: "timeout" },
      { name: "write_file", args: { file_path: folder, content: "x" }, id: "denied" },
      { name: "shell", args: { timeout_ms: 5 }, id: "invalid" },
      { name: "teleport", args: {}, id: "unknown" },
    ];
    const s = setUp({ env, profile: testProfile(all), script: [{ calls }, { text: "I see" }] });
    await s.session.submit("go");
    expect(s.session.state).toBe("idle");
    await s.finish();
    const texts = Object.fromEntries(calls.map(({ id }) => [id, resultText(s.client.requests[1]!, id)]));
    expect(texts["not_found"]).toContain("missing.txt");
    expect(texts["exit"]).toContain("[exit code: 3");
    expect(texts["timeout"]).toContain("timed out after 50ms");
    expect(texts["invalid"]).toMatch(/^Invalid arguments for tool: shell/);
    expect(texts["unknown"]).toBe("Unknown tool: teleport");
    expect(s.of("tool_call_end").every((event) => event.data.is_error)).toBe(true);
  });

  it("RN-02 D-019 three commands run side by side, or one after another when the profile says so", async () => {
    const outputs = async (supportsParallelToolCalls: boolean, command: (id: string) => string) => {
      const { env } = place();
      const calls = ["a", "b", "c"].map((id) => ({ name: "shell", args: { command: command(id) }, id }));
      const s = setUp({
        env,
        profile: testProfile(all, { supportsParallelToolCalls }),
        script: [{ calls }, { text: "ok" }],
      });
      await s.session.submit("go");
      await s.finish();
      return calls.map(({ id }) => resultText(s.client.requests[1]!, id).split("\n")[0]);
    };
    const meet = (id: string) => `touch ${id}; until [ -e a ] && [ -e b ] && [ -e c ]; do sleep 0.01; done; echo met`;
    expect(await outputs(true, meet)).toEqual(["met", "met", "met"]);
    const alone = () => "mkdir busy && sleep 0.05 && rmdir busy && echo alone";
    expect(await outputs(false, alone)).toEqual(["alone", "alone", "alone"]);
  });

  it("G-03 of three bash calls the second and third are skipped when the user steers during the first", async () => {
    const { env, folder } = place();
    const calls = ["A", "B", "C"].map((id) => ({
      name: "bash",
      args: { command: `echo ${id} >> ran; sleep 0.2; echo ${id}` },
      id,
    }));
    const s = setUp({
      env,
      config: { interruptMode: "immediate" },
      profile: testProfile([minimalBashTool as unknown as ToolDef]),
      script: [{ calls }, { text: "ok" }],
    });
    const done = s.session.submit("go");
    await until(() => existsSync(join(folder, "ran")));
    s.session.steer("stop after A");
    await done;
    await s.finish();
    expect(readFileSync(join(folder, "ran"), "utf8")).toBe("A\n");
    const texts = ["A", "B", "C"].map((id) => resultText(s.client.requests[1]!, id));
    expect(texts).toEqual(["stdout:\nA\nexit code: 0", "skipped: user steered", "skipped: user steered"]);
    expect(JSON.stringify(s.client.requests[1])).toContain("stop after A");
  });
});
