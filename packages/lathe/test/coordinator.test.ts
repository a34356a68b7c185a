// The built `lathe mcp-serve coordinator`, used by a real MCP client with real tmux.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Gate, gate, turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { CoordinatorBench as Bench, type CoordinatorBench } from "./coordinator-kit.ts";
import { hasTmux } from "./tmux-kit.ts";

const MAKES = "echo by a command > shell.txt; echo changed > kept.txt; rm gone.txt; ln -s /etc/passwd link.txt";

describe.skipIf(!hasTmux)("lathe mcp-serve coordinator (needs tmux)", () => {
  let bench: CoordinatorBench;
  /** Prompts with the word "slowly" wait for it. */
  let slow: Gate;
  beforeEach(async () => {
    slow = gate();
    bench = await Bench.open(({ view }) => {
      const asked = view.tools.length === 0 ? undefined : view.messages.findLast(({ role }) => role === "user")?.text;
      const isNew = !view.messages.some(({ results }) => results.length > 0);
      if (asked?.includes("make") && isNew)
        return turn.calls([
          { name: "write_file", args: { file_path: "made.txt", content: "made by a session" } },
          { name: "shell", args: { command: MAKES } },
        ]);
      const answer = `Answer to ${/say (\w+)/.exec(asked ?? "")?.[1]}.`;
      return turn.text(answer, asked?.includes("slowly") ? { before: slow.wait } : {});
    });
  });
  afterEach(() => bench.close());

  it("G-13 every change needs its three conditions and the command; what is allowed starts a session in real tmux", async () => {
    const start = { cwd: bench.project };
    const bare = await bench.connect({});
    expect(await bare.refusalCode("start_session", { ...start, allow_mutation: true })).toBe("no_roots");
    const { LATHE_COORDINATOR_MCP_SESSION_COMMAND: command = "", ...rest } = bench.allowed;
    const { LATHE_COORDINATOR_MCP_MUTATIONS: _all, ...rooted } = rest;
    const narrow = await bench.connect({ ...rooted, LATHE_COORDINATOR_MCP_MUTATIONS: "reports" });
    expect(await narrow.refusalCode("start_session", { ...start, allow_mutation: true })).toBe("mutation_disabled");
    const without = await bench.connect(rest);
    expect(await without.refusalCode("start_session", start)).toBe("mutation_not_confirmed");
    expect(await without.refusalCode("start_session", { ...start, allow_mutation: true })).toBe("no_session_command");
    const all = await bench.connect({ ...rest, LATHE_COORDINATOR_MCP_SESSION_COMMAND: command });
    expect(await all.refusalCode("start_session", { cwd: "/", allow_mutation: true })).toBe("outside_roots");
    expect(bench.tmux.sessions()).toEqual(["foreign"]);
    const { session_id } = await all.change("start_session", start);
    expect(bench.tmux.sessions().sort()).toEqual(["foreign", session_id]);
    expect(session_id).toMatch(/^lathe-coordinator-[0-9a-f]{8}$/);
    expect((await all.client.listTools()).tools).toHaveLength(15);
  });

  it("G-14 one active turn; a second one is refused, queued or forced; each answer is there after a restart of the server", async () => {
    let client = await bench.connect();
    const again = async (): Promise<void> => {
      await client.close();
      client = await bench.connect();
    };
    const { session_id } = await client.change("start_session", { cwd: bench.project });
    const first = await client.change("send_prompt", { session_id, prompt: "say one slowly" });
    expect(first).toMatchObject({ status: "active", queued: false, delivered: true, active_turn_id: first["turn_id"] });
    await again();
    expect(await client.refusalCode("send_prompt", { session_id, prompt: "say two", allow_mutation: true })).toBe(
      "active_turn_exists",
    );
    const second = await client.change("send_prompt", { session_id, prompt: "say two", queue: true });
    expect(second).toMatchObject({
      status: "queued",
      queued: true,
      delivered: false,
      active_turn_id: first["turn_id"],
    });
    await again();
    slow.open();
    const done = await client.call("await_turn", { turn_id: second["turn_id"], session_id });
    expect(done).toMatchObject({
      turn: { status: "completed", final_response: { text: "Answer to two.", source: "journal", truncated: false } },
      advisory_status: { live: true },
    });
    await again();
    const { turn: one } = await client.call("read_turn", { turn_id: first["turn_id"] });
    expect(one).toMatchObject({ status: "completed", final_response: { text: "Answer to one." }, error: null });
    const kinds = readFileSync(bench.eventFile, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).kind);
    expect(kinds).toEqual([
      ...["session.starting", "session.started", "turn.active", "turn.delivered", "turn.queued"],
      ...["turn.completed", "turn.active", "turn.delivered", "turn.completed"],
    ]);
    const look = async (...args: string[]): Promise<string> => {
      const { code, stdout, stderr } = await bench.scene.box.run(["coordinator", "turn", ...args], {
        env: bench.env(),
      });
      expect([code, stderr]).toEqual([0, ""]);
      return stdout;
    };
    const id = String(first["turn_id"]);
    const text = await look(id);
    expect(text).toMatch(/^turn:\n {2}schema_version: 1\n {2}turn_id: /);
    expect(parse(text)).toMatchObject({ turn: { status: "completed", final_response: { text: "Answer to one." } } });
    expect(JSON.parse(await look(id, "--json"))).toMatchObject({ ok: true, ...parse(text) });
  });

  it("G-13 a file that a session has made in its isolated copy is an artifact, though it is not in the project", async () => {
    const command = `lathe ${bench.scene.args.join(" ")} --permission-mode full --worktree`;
    for (const name of ["kept.txt", "gone.txt", "same.txt"]) writeFileSync(join(bench.project, name), "of the project");
    const client = await bench.connect({ ...bench.allowed, LATHE_COORDINATOR_MCP_SESSION_COMMAND: command });
    const { session_id } = await client.change("start_session", { cwd: bench.project });
    const { turn_id } = await client.change("send_prompt", { session_id, prompt: "make it" });
    expect(await client.call("await_turn", { turn_id })).toMatchObject({ turn: { status: "completed" } });
    const path = join(bench.project, "made.txt");
    expect(existsSync(path)).toBe(false);
    expect(await client.call("list_artifacts", { session_id })).toMatchObject({ artifacts: [{ path, kind: "file" }] });
    for (const named of ["made.txt", path])
      expect(await client.call("read_artifact", { session_id, path: named, offset: 5 })).toMatchObject({
        ...{ isolated_copy: true, text: "by a session", bytes: 17, truncated: false },
      });
    // What a command has written is in no journal.
    const read = (path: string) => client.call("read_artifact", { session_id, path });
    expect(await read("shell.txt")).toMatchObject({ isolated_copy: true, text: "by a command\n" });
    expect(await read("kept.txt")).toMatchObject({ isolated_copy: true, text: "changed\n" });
    expect(await client.call("read_artifact", { path: join(bench.project, "kept.txt") })).toMatchObject({
      text: "of the project",
    });
    expect(await read("same.txt")).toMatchObject({ text: "of the project" });
    expect(await client.refusalCode("read_artifact", { session_id, path: "gone.txt" })).toBe("not_found");
    expect(await client.refusalCode("read_artifact", { session_id, path: "link.txt" })).toBe("outside_roots");
    expect(await client.refusalCode("read_artifact", { session_id, path: "../made.txt" })).toBe("not_found");
    expect(await client.refusalCode("read_artifact", { path })).toBe("not_found");
    // Killed, and restarted at once in the same copy.
    const panePid = bench.tmux.ask("display-message", "-p", "-t", String(session_id), "#{pane_pid}");
    process.kill(Number(panePid), "SIGKILL");
    const gone = async () => (await client.call("read_status", { session_id }))["session"];
    await expect.poll(gone).toMatchObject({ advisory_status: { state: "gone" } });
    await client.change("start_session", { session_id });
    expect(await read(path)).toMatchObject({ text: "made by a session" });
    expect(await read("shell.txt")).toMatchObject({ isolated_copy: true, text: "by a command\n" });
    expect(bench.tmux.sessions().sort()).toEqual(["foreign", session_id]);
  });
});
