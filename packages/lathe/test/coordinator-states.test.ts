// A coordinator in the test's process over a namespace in a given state: what earlier ones have left, and two at a
// time.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { processStartTime } from "@lathe/agent/record";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readConfiguration } from "../src/doors/coordinator/configuration.ts";
import type { ToolName } from "../src/doors/coordinator/contract.ts";
import { lineOf, type NewEvent } from "../src/doors/coordinator/events.ts";
import { writePayload } from "../src/doors/coordinator/payloads.ts";
import type { Reader } from "../src/doors/coordinator/reading.ts";
import { openReader } from "../src/doors/coordinator/server.ts";
import { callTool } from "../src/doors/coordinator/tools.ts";
import { servedConversation } from "./doors/served-conversation.ts";
import { machineOf, runInside, Text } from "./machine.ts";
import { hasTmux } from "./tmux-kit.ts";

const TURN = "turn-00000000-0000-4000-8000-000000000001";
const DEAD = { starter_pid: 2 ** 22 + 1, starter_host: hostname(), starter_began: "1" };
const LIVING = { starter_pid: process.pid, starter_host: hostname(), starter_began: processStartTime(process.pid) };

let root: string;
let project: string;
let env: Record<string, string>;
const closing: (() => unknown)[] = [];
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "coordinator-")));
  project = join(root, "project");
  mkdirSync(project);
  env = {
    ...{ PATH: process.env["PATH"] ?? "", HOME: root, LATHE_HOME: join(root, ".lathe") },
    LATHE_TMUX_SOCKET: join(root, "no-server"),
    LATHE_COORDINATOR_MCP_WORKDIR_ROOTS: root,
    LATHE_COORDINATOR_MCP_MUTATIONS: "all",
    LATHE_COORDINATOR_MCP_STATE_ROOT: join(root, "state"),
  };
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  rmSync(root, { recursive: true, force: true });
});

const namespace = (): string => join(root, "state/default/default");
const journalFile = (): string => join(namespace(), "events/event-journal.jsonl");

/** What earlier coordinators have written. */
function written(...events: readonly NewEvent[]): void {
  for (const name of ["events", "prompts", "reports"]) mkdirSync(join(namespace(), name), { recursive: true });
  const lines = events.map((event, at) => `${lineOf(at + 1, "2026-01-01T00:00:00.000Z", event)}\n`);
  writeFileSync(journalFile(), lines.join(""));
}

const kinds = (): string[] =>
  readFileSync(journalFile(), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => (JSON.parse(line) as NewEvent).kind);

async function reader(): Promise<Reader> {
  const machine = machineOf({ cwd: root, env }, new PassThrough(), new Text(), new Text());
  const opened = await openReader(machine, readConfiguration(env, root));
  closing.push(() => opened.close());
  return opened.reader;
}

const call = async (to: Reader, name: ToolName, args: object = {}) =>
  (await callTool(to, name, args, new AbortController().signal)).data;

const starting = (name: string, starter: object): NewEvent => ({
  kind: "session.starting",
  session_id: name,
  summary: "It starts.",
  metadata: { cwd: project, way: "door", tmux: name, ...starter },
});
const open = (latheSession: string): NewEvent => ({
  kind: "session.started",
  session_id: "one",
  summary: "It is open.",
  metadata: { cwd: project, way: "door", lathe_session: latheSession },
});

it.skipIf(!hasTmux)(
  "G-13 a session whose coordinator was killed while it started it has failed by the next look; one that still starts goes on (needs tmux)",
  async () => {
    written(starting("early", DEAD), starting("earlier-version", {}), starting("now", LIVING));
    const stateOf = async (to: Reader) =>
      ((await call(to, "list_sessions"))["sessions"] as { session_id: string; advisory_status: object }[]).map(
        ({ session_id, advisory_status }) => [session_id, (advisory_status as { state: string }).state],
      );
    const first = await reader();
    const gone = [
      ["early", "not_started"],
      ["earlier-version", "not_started"],
    ];
    expect(await stateOf(first)).toEqual([...gone, ["now", "starting"]]);
    // A running coordinator notices the end of another one.
    await first.coordinator.journal.change(() => ({ events: [starting("later", DEAD)], result: undefined }));
    expect(await stateOf(first)).toEqual([...gone, ["now", "starting"], ["later", "not_started"]]);
  },
);

it("G-13 a root that is not there is named and skipped: the others are served; --check refuses it", async () => {
  const missing = join(root, "gone");
  env["LATHE_COORDINATOR_MCP_WORKDIR_ROOTS"] = `${missing}:${project}`;
  const line = `LATHE_COORDINATOR_MCP_WORKDIR_ROOTS names a folder that does not exist: ${missing}`;
  const served = await runInside(["mcp-serve", "coordinator"], { cwd: root, env });
  expect(served).toEqual({
    ...{ code: 0, stdout: "" },
    stderr: `lathe: ${line}. The other folders are served; nothing below this one is allowed.\n`,
  });
  expect(await runInside(["mcp-serve", "coordinator", "--check"], { cwd: root, env })).toEqual({
    ...{ code: 2, stdout: "" },
    stderr: `lathe: ${line}\n`,
  });
  const start = { allow_mutation: true, cwd: missing };
  expect(await call(await reader(), "start_session", start)).toMatchObject({ error: { code: "no_session_command" } });
  env["LATHE_COORDINATOR_MCP_WORKDIR_ROOTS"] = missing;
  expect(await call(await reader(), "start_session", start)).toMatchObject({
    error: { code: "no_roots", message: expect.stringContaining("none of those in the list is there") },
  });
});

it("G-14 a prompt for a session whose folder has gone is refused, and nothing is kept of it", async () => {
  written(open("aaaaaaaa"));
  rmSync(project, { recursive: true });
  const reply = await call(await reader(), "send_prompt", { session_id: "one", prompt: "work", allow_mutation: true });
  expect(reply).toMatchObject({
    error: { code: "folder_gone", message: expect.stringContaining(`no longer exists: ${project}.`) },
  });
  expect(kinds()).toEqual(["session.started"]);
  expect(readdirSync(join(namespace(), "prompts"))).toEqual([]);
});

it("G-15 no kinds of events to watch are all kinds", async () => {
  written(open("aaaaaaaa"));
  const { events } = await call(await reader(), "watch_events", { event_types: [], timeout_ms: 0 });
  expect(events).toMatchObject([{ kind: "session.started" }]);
});

it("G-14 a final response that is cut is no longer than the cap, its sign included", async () => {
  written(
    open("aaaaaaaa"),
    { kind: "turn.active", session_id: "one", turn_id: TURN, summary: "It works." },
    {
      kind: "report.status",
      session_id: "one",
      turn_id: TURN,
      summary: "",
      payload_ref: `reports/report-${TURN.slice(5)}.json`,
    },
    { kind: "turn.completed", session_id: "one", turn_id: TURN, summary: "It is done." },
  );
  writePayload(namespace(), "reports", `report-${TURN.slice(5)}`, { summary: "x".repeat(4_000) });
  for (const cap of [1_000, 2]) {
    env["LATHE_COORDINATOR_MCP_ARTIFACT_BYTE_CAP"] = String(cap);
    const reply = (await call(await reader(), "read_turn", { turn_id: TURN })) as {
      turn?: { final_response: { text: string; truncated: boolean } };
    };
    const { text = "", truncated } = reply.turn?.final_response ?? {};
    expect([truncated, Buffer.byteLength(text)]).toEqual([true, cap]);
    expect(text.endsWith("…")).toBe(cap > 2);
  }
});

it("G-14 two coordinators that say the same prompt note once that it was delivered", async () => {
  const served = await servedConversation();
  closing.push(() => served.close());
  served.talk.answer(() => turn.text("Done."));
  project = served.talk.root;
  env["LATHE_HOME"] = join(project, ".lathe-home");
  env["LATHE_COORDINATOR_MCP_WORKDIR_ROOTS"] = project;
  written(open(served.door.sessionId), {
    ...{ kind: "turn.active", session_id: "one", turn_id: TURN },
    ...{ summary: "It works.", payload_ref: `prompts/${TURN}.json` },
  });
  writePayload(namespace(), "prompts", TURN, { prompt: "work" });
  const [one] = await Promise.all([reader(), reader()]);
  const reply = await call(one, "await_turn", { turn_id: TURN });
  expect(reply).toMatchObject({ turn: { status: "completed", final_response: { text: "Done." } } });
  expect(kinds()).toEqual(["session.started", "turn.active", "turn.delivered", "turn.completed"]);
});

it("G-13 lathe coordinator makes nothing, so it shows what cannot be written, too", async () => {
  written(open("aaaaaaaa"));
  rmSync(join(namespace(), "reports"), { recursive: true });
  const shown = await runInside(["coordinator", "sessions"], { cwd: root, env });
  expect(shown).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining("session_id: one") });
  expect(readdirSync(namespace()).sort()).toEqual(["events", "prompts"]);
  rmSync(journalFile());
  expect(await runInside(["coordinator", "sessions"], { cwd: root, env })).toMatchObject({ code: 0, stderr: "" });
  expect(existsSync(journalFile())).toBe(false);
});
