// What a hostile caller, a hostile project or a careless operator could try at the coordinator, with a real MCP client.

import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runCommand } from "../src/cli/main.ts";
import { LONGEST_LINE } from "../src/doors/coordinator/input-lines.ts";
import { writePayload } from "../src/doors/coordinator/payloads.ts";
import { type Sandbox, sandbox } from "./command.ts";
import { CoordinatorBench as Bench, type CoordinatorBench } from "./coordinator-kit.ts";
import { machineOf, Text } from "./machine.ts";
import { hasTmux } from "./tmux-kit.ts";

const IDS = [
  ...["../../x", "..", "/etc/passwd", "a/b", "a\\b", "a\0b", "-t", "=x", "a:b", "a.b", "%1", "", " ", "a\nb", "\u00e9"],
  ...["__proto__", "constructor", "x".repeat(5_000)],
];

const inLongRuns = process.env["LATHE_LONG"] === undefined ? () => {} : it;
const NO_MODEL = { LATHE_COORDINATOR_MCP_SESSION_COMMAND: "lathe" };

describe.skipIf(!hasTmux)("the coordinator, attacked (needs tmux)", () => {
  let bench: CoordinatorBench;
  beforeEach(async () => {
    bench = await Bench.open(() => turn.text("x".repeat(200_000)));
  });
  afterEach(() => bench.close());

  it("G-13 hostile ids are refused before a path is made of them, in each tool that takes one", async () => {
    const client = await bench.connect();
    const events = readFileSync(bench.eventFile, "utf8");
    const turn_id = "turn-00000000-0000-4000-8000-000000000000";
    const taken: Record<string, (id: string) => Record<string, unknown>> = {
      read_status: (session_id) => ({ session_id }),
      read_tail: (session_id) => ({ session_id }),
      list_questions: (session_id) => ({ session_id }),
      list_artifacts: (session_id) => ({ session_id }),
      read_artifact: (session_id) => ({ session_id, path: "x" }),
      read_turn: (id) => ({ turn_id: id }),
      await_turn: (id) => ({ turn_id: id, timeout_ms: 1 }),
      watch_events: (session_id) => ({ session_id, timeout_ms: 1, after_seq: 9 }),
      start_session: (session_id) => ({ session_id, allow_mutation: true }),
      register_session: (session_id) => ({ session_id, pane: "%1", allow_mutation: true }),
      send_prompt: (session_id) => ({ session_id, prompt: "x", allow_mutation: true }),
      submit_question_answer: (id) => ({ session_id: "x", question_id: id, answer: "x", allow_mutation: true }),
      report_status: (id) => ({ session_id: id, turn_id, status: "completed", allow_mutation: true }),
    };
    // Names like any other, which nothing has.
    const safe = new Set(["__proto__", "constructor"]);
    for (const [tool, args] of Object.entries(taken))
      for (const id of IDS) {
        const code = await client.refusalCode(tool, args(id));
        const isName = safe.has(id) && /^(unknown_|outside_roots|pane_gone)/.test(code);
        const isRefused = ["unsafe_id", "invalid_arguments", "unknown_session"].includes(code);
        expect(isRefused || isName, `${tool} ${JSON.stringify(id.slice(0, 40))}: ${code}`).toBe(true);
      }
    for (const id of ["../../x", "turn-../../x", `${turn_id}/..`, `${turn_id.toUpperCase()}`])
      expect(await client.refusalCode("read_artifact", { path: `response://${id}` })).toBe("unsafe_id");
    expect(await client.refusalCode("watch_events", { session_id: "no-such", timeout_ms: 1 })).toBe("unknown_session");
    expect(readFileSync(bench.eventFile, "utf8")).toBe(events);
    expect(bench.tmux.sessions()).toEqual(["foreign"]);
  });

  it("G-13 a link out of the allowed folders is refused, whichever way it is made; 1.5 MB come in pieces below the cap", async () => {
    const at = (name: string): string => join(bench.project, name);
    const secret = join(bench.scene.box.home, "secret");
    writeFileSync(secret, "secret");
    symlinkSync("/etc/passwd", at("passwd"));
    symlinkSync(secret, at("file"));
    symlinkSync(bench.scene.box.home, at("folder"));
    symlinkSync("loop", at("loop"));
    symlinkSync("/dev/zero", at("zero"));
    symlinkSync("real.txt", at("inside"));
    writeFileSync(at("real.txt"), "inside");
    mkdirSync(at("sub"));
    const client = await bench.connect();
    const refused = (path: string) => client.refusalCode("read_artifact", { path });
    for (const path of ["passwd", "file", "folder/secret", "zero", "sub/../../home/secret", "sub/../folder/secret"])
      expect(await refused(at(path)), path).toBe("outside_roots");
    for (const path of ["/etc/passwd", secret, "/proc/self/environ", bench.eventFile])
      expect(await refused(path), path).toBe("outside_roots");
    for (const path of ["loop", "nosuch", "real.txt/x"]) expect(await refused(at(path)), path).toBe("not_found");
    expect(await refused(at("sub"))).toBe("not_a_file");
    const relative = { cwd: "sub", allow_mutation: true };
    expect(await client.refusalCode("start_session", relative)).toBe("invalid_arguments");
    expect(await refused("real.txt")).toBe("unsafe_path");
    expect(await refused(`${at("real.txt")}\0/etc`)).toBe("unsafe_path");
    expect(await refused("artifact://../../secret")).toBe("unknown_session");
    expect(await client.call("read_artifact", { path: at("inside") })).toMatchObject({
      text: "inside",
      truncated: false,
    });

    const long = "a\u{1f41f}".repeat(300_000);
    writeFileSync(at("long.txt"), long);
    let text = "";
    for (let offset: number | null = 0; offset !== null; ) {
      const piece: Record<string, unknown> = await client.call("read_artifact", { path: at("long.txt"), offset });
      const words = String(piece["text"]);
      expect(Buffer.byteLength(words)).toBeLessThanOrEqual(65_536);
      expect(piece).toMatchObject({ bytes: 1_500_000, truncated: piece["next_offset"] !== null });
      text += words;
      offset = piece["next_offset"] as number | null;
    }
    expect(text === long).toBe(true);
    const env = { ...bench.allowed, LATHE_COORDINATOR_MCP_ARTIFACT_BYTE_CAP: "99999999" };
    const wide = await (await bench.connect(env)).call("read_artifact", { path: at("long.txt") });
    expect(wide).toMatchObject({ truncated: true, bytes: 1_500_000 });
    expect(Buffer.byteLength(String(wide["text"]))).toBeLessThanOrEqual(1_048_576);
    expect(Buffer.byteLength(String(wide["text"]))).toBeGreaterThan(1_048_570);
  });

  it("G-13 a file that becomes a link between two calls is not followed; a hard link is a file of the folder", async () => {
    const at = (name: string): string => join(bench.project, name);
    writeFileSync(at("a"), "first");
    const client = await bench.connect();
    expect(await client.call("read_artifact", { path: at("a") })).toMatchObject({ text: "first" });
    renameSync(at("a"), at("b"));
    symlinkSync("/etc/passwd", at("a"));
    expect(await client.refusalCode("read_artifact", { path: at("a") })).toBe("outside_roots");
    linkSync(at("b"), at("c"));
    expect(await client.call("read_artifact", { path: at("c") })).toMatchObject({ text: "first" });
  });

  it("G-13 two profiles, and two repositories of one, do not see each other's sessions, turns and events", async () => {
    const env = (profile: string, repo: string) => ({
      ...bench.allowed,
      LATHE_COORDINATOR_MCP_PROFILE: profile,
      LATHE_COORDINATOR_MCP_REPO: repo,
    });
    const one = await bench.connect(env("a", "shop"));
    const { session_id } = await one.change("start_session", { cwd: bench.project });
    const { turn_id } = await one.change("send_prompt", { session_id, prompt: "hello" });
    const { turn: done } = await one.call("await_turn", { turn_id, session_id });
    // Longer than the cap: the rest is read in pieces.
    expect(done).toMatchObject({ final_response: { truncated: true, artifact_path: `response://${turn_id}` } });
    const rest = await one.call("read_artifact", { path: `response://${turn_id}`, offset: 199_990 });
    expect(rest).toMatchObject({ text: "x".repeat(10), truncated: false, bytes: 200_000 });
    for (const other of [env("b", "shop"), env("a", "other")]) {
      const client = await bench.connect(other);
      expect(await client.call("list_sessions")).toMatchObject({ sessions: [] });
      expect(await client.call("read_coordination_status")).toMatchObject({ latest_event_seq: 0, sessions: [] });
      expect(await client.refusalCode("read_status", { session_id })).toBe("unknown_session");
      expect(await client.refusalCode("read_turn", { turn_id })).toBe("unknown_turn");
      expect(await client.refusalCode("read_artifact", { path: `response://${turn_id}` })).toBe("unknown_turn");
      const sent = { session_id, prompt: "hello", allow_mutation: true };
      expect(await client.refusalCode("send_prompt", sent)).toBe("unknown_session");
    }
  });

  inLongRuns("G-13 a pane that asks for a key is told with its words", { timeout: 90_000 }, async () => {
    const client = await bench.connect({
      ...bench.allowed,
      ANTHROPIC_API_KEY: "",
      ANTHROPIC_BASE_URL: "",
      ...NO_MODEL,
    });
    const reply = await client.call("start_session", { cwd: bench.project, allow_mutation: true });
    expect(reply.error).toMatchObject({
      code: "start_failed",
      message: expect.stringMatching(/not open within 40 s\. Its pane shows: .*No API key was found/),
    });
    expect(bench.tmux.sessions()).toEqual(["foreign"]);
  });

  it("G-13 state behind a link, and a namespace that is a path, are refused at the start", async () => {
    const { LATHE_COORDINATOR_MCP_STATE_ROOT: _root, ...env } = bench.allowed;
    symlinkSync(bench.scene.box.home, join(bench.project, ".lathe"));
    const run = (more: Record<string, string>) =>
      bench.scene.box.run(["mcp-serve", "coordinator"], { env: { ...env, ...more } });
    expect(await run({})).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("behind a link") });
    for (const name of ["..", "../x", "/tmp", "a b", ".x"])
      expect(await run({ LATHE_COORDINATOR_MCP_PROFILE: name })).toMatchObject({
        ...{ code: 2, stdout: "" },
        stderr: expect.stringMatching(/^lathe: LATHE_COORDINATOR_MCP_PROFILE is a name of letters.*\n$/),
      });
  });
});

describe("the coordinator's input and its disk", () => {
  let box: Sandbox;
  beforeEach(async () => {
    box = await sandbox();
  });
  afterEach(() => box.remove());

  it("G-13 what is no message is answered, however long it is, and the next request as well", async () => {
    const stdin = new PassThrough();
    const [stdout, stderr] = [new Text(), new Text()];
    const running = runCommand(
      ["mcp-serve", "coordinator"],
      machineOf({ cwd: box.dir, env: box.env }, stdin, stdout, stderr),
    );
    const ping = (id: number): string => `${JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })}\n`;
    const long = Buffer.alloc(LONGEST_LINE + 1, "x");
    const padded = Buffer.alloc(LONGEST_LINE, " ");
    padded.write(ping(3).trim());
    stdin.write(`{"jsonrpc":"2.0","id":1,\n\r\n[]\n{"id":1}\n7\n${ping(1)}`);
    for (const part of [long, Buffer.from("y"), long, "\n", ping(2), padded, "\n"]) stdin.write(part);
    await expect.poll(() => stdout.text, { timeout: 20_000 }).toContain('"id":3');
    const replies = stdout.text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    const outcome = ({ id, result, error }: { id: unknown; result?: unknown; error?: { code: number } }) => [
      id,
      result ? "done" : error?.code,
    ];
    expect(replies.filter(({ id }) => id === null).map(outcome)).toEqual([
      ...[
        [null, -32_700],
        [null, -32_600],
        [null, -32_600],
        [null, -32_600],
        [null, -32_600],
      ],
    ]);
    expect(replies.filter(({ id }) => id !== null).map(outcome)).toEqual([1, 2, 3].map((id) => [id, "done"]));
    stdin.end();
    expect([await running, stderr.text]).toEqual([0, ""]);
  });

  it("G-14 a prompt that cannot be kept leaves nothing behind", () => {
    const folder = join(box.home, "state");
    mkdirSync(join(folder, "prompts/turn-1.json"), { recursive: true });
    expect(() => writePayload(folder, "prompts", "turn-1", { prompt: "x" })).toThrow(/EISDIR|EEXIST|ENOTEMPTY/);
    expect(readdirSync(join(folder, "prompts"))).toEqual(["turn-1.json"]);
  });

  it("G-13 state that cannot be kept: one line names the variable that moves it", async () => {
    const at = (name: string): string => join(box.home, name);
    symlinkSync("loop", at("loop"));
    writeFileSync(at("file"), "");
    mkdirSync(at("odd/default/default/events/event-journal.jsonl"), { recursive: true });
    for (const name of ["loop", "file", "odd"]) {
      const env = { LATHE_COORDINATOR_MCP_STATE_ROOT: at(name) };
      const { code, stdout, stderr } = await box.run(["mcp-serve", "coordinator"], { env });
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toMatch(/^lathe: .*LATHE_COORDINATOR_MCP_STATE_ROOT.*\n$/);
      expect(stderr).not.toContain("LATHE_HOME");
    }
  });
});
