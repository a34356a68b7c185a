// A server's view of sessions that another process holds: joined through that process's local door, refused if it has
// none, and opened by the server itself once the other process has closed them or died.

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { gate, type ModelServer, startModelServer, type Turn, turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { DoorFrame, LatheClient } from "../../src/doors/serve/client.ts";
import { Editor, EVERYTHING } from "../acp-kit.ts";
import { type Sandbox, sandbox } from "../command.ts";
import { InsideTerminal } from "../terminal.ts";
import { type Serving, serve } from "./serve-kit.ts";

const MODEL = "openai/gpt-5.2";
const { terminal: _terminal, ...FILES_ONLY } = EVERYTHING;

let box: Sandbox;
let model: ModelServer;
let serving: Serving;
let client: LatheClient;
let env: Record<string, string>;
let turns: Turn[];

beforeEach(async () => {
  box = await sandbox();
  turns = [];
  model = await startModelServer({
    script: ({ body }) => {
      // A terminal requests a title in addition to the work.
      if (JSON.stringify(body).includes('"set_title"'))
        return turn.calls([{ name: "set_title", args: { title: "t" } }]);
      return turns.shift() ?? turn.text("Nothing more.");
    },
  });
  env = { OPENAI_API_KEY: "key", OPENAI_BASE_URL: model.baseUrl("openai"), NO_COLOR: "1", LATHE_NO_TITLE: "1" };
  serving = await serve(box, env);
  client = await serving.client("laptop", "read", "prompt", "approve", "admin");
});
afterEach(async () => {
  await serving.server.end({ forgets: true });
  await model.close();
  await box.remove();
});

const shell = (command: string): Turn => turn.calls([{ name: "shell", args: { command } }]);
const made = (name: string): boolean => existsSync(join(box.dir, name));
const isEnd = (frame: DoorFrame): boolean => frame.kind === "event" && frame.event.type === "agent_end";

async function until(id: string, fits: (frame: DoorFrame) => boolean, after?: number): Promise<DoorFrame> {
  for await (const frame of client.follow(id, { after })) if (fits(frame)) return frame;
  throw new Error("The stream ended.");
}

/** An editor with a session of one answer. */
async function editorWith(process: Parameters<typeof makeEditor>[0]) {
  const editor = makeEditor(process);
  await editor.initialize(FILES_ONLY);
  const { sessionId: id } = await editor.create(box.dir);
  turns.push(turn.text("Said to the editor."));
  await editor.prompt(id, "hello");
  return { editor, id };
}
const makeEditor = (process: ChildProcessWithoutNullStreams | ReturnType<Sandbox["open"]>) =>
  new Editor(process, { capabilities: FILES_ONLY, permission: () => new Promise<string>(() => {}) });
const ACP = ["acp", "--model", MODEL, "--permission-mode", "ask"];

it("M1 a session of an editor works at a server as its own do; when the editor closes it, the server goes on with it, in its mode", async () => {
  const { editor, id } = await editorWith(box.open(ACP, env));
  expect((await client.sessions()).sessions).toMatchObject([{ id, live: true, busy: false }]);
  const { snapshot, seq } = await client.openSession(id);
  expect(snapshot.state).toMatchObject({ sessionId: id, permissionMode: "ask", messageCount: 2 });
  expect((await client.command(id, "get_entries", { before: null, limit: 10 })).entries.at(-1)).toMatchObject({
    type: "assistant",
  });

  turns.push(shell("echo from the server > made.txt"), turn.text("It is made."));
  await client.command(id, "prompt", { message: "make it" });
  const asked = await until(id, ({ kind }) => kind === "question", seq);
  expect((await client.sessions()).sessions).toMatchObject([{ id, live: true, busy: true, questions: 1 }]);
  const reader = await serving.client("reader", "read", "prompt");
  const question = asked.kind === "question" ? asked.question.id : "";
  await expect(reader.answer(id, question, { confirmed: true })).rejects.toMatchObject({ code: "wrong_scope" });
  expect(await client.answer(id, question, { confirmed: true })).toEqual({ status: "accepted" });
  const settled = await until(id, ({ kind }) => kind === "settled", asked.seq);
  // The other side hears who it was, not that it was a server.
  expect(settled).toMatchObject({ by: "laptop" });
  const end = await until(id, isEnd, asked.seq);
  expect(made("made.txt")).toBe(true);
  expect(editor.text()).toBe("Said to the editor.It is made.");
  expect(await client.command(id, "get_session_stats")).toMatchObject({ toolCalls: 1 });
  expect(await client.command(id, "get_changes")).toEqual({ files: [] });
  expect(await client.command(id, "get_queue")).toEqual({ steering: [], followUp: [] });
  expect(await client.command(id, "get_jobs")).toEqual({ jobs: [] });
  expect(await client.command(id, "get_costs")).toBeDefined();
  await expect(client.command(id, "new_session")).rejects.toMatchObject({ code: "not_available" });
  await expect(client.closeSession(id)).rejects.toMatchObject({ status: 409, code: "held_elsewhere" });
  expect(serving.server.sessions.count).toBe(0);

  // A client that follows continues at the server's own process: no `closed`, a snapshot instead.
  const goesOn = until(id, ({ kind }) => kind !== "clients", end.seq);
  await editor.agentSide.request("session/close", { sessionId: id });
  expect(await goesOn).toMatchObject({ kind: "snapshot", snapshot: { state: { permissionMode: "ask" } } });
  expect(serving.server.sessions.count).toBe(1);
  const { entries } = await client.command(id, "get_entries", { before: null, limit: 10 });
  expect(entries.flatMap((entry) => (entry.type === "user" ? [entry.text] : []))).toEqual(["hello", "make it"]);
  await editor.leave();
}, 60_000);

it("M1 an editor's process that is killed in the middle of a call: the server opens the session, nothing is lost, and it asks whether to go on", async () => {
  const agent = box.start(ACP, env);
  const { editor, id } = await editorWith(agent);
  turns.push(shell("touch later"));
  const { seq } = await client.openSession(id);
  await client.command(id, "prompt", { message: "make it" });
  const { seq: asked } = await until(id, ({ kind }) => kind === "question", seq);
  const goesOn = until(id, ({ kind }) => kind === "snapshot", asked);
  const gone = once(agent, "close");
  agent.kill("SIGKILL");
  await gone;
  expect(await goesOn).toMatchObject({
    snapshot: { questions: [], state: { unfinishedInput: true, permissionMode: "ask" } },
  });
  expect(serving.server.sessions.count).toBe(1);
  const { entries } = await client.command(id, "get_entries", { before: null, limit: 10 });
  expect(entries.filter(({ type }) => type === "user")).toHaveLength(2);
  turns.push(turn.text("It goes on."));
  const again = until(id, ({ kind }) => kind === "question");
  await client.command(id, "continue");
  const frame = await again;
  expect(made("later")).toBe(false);
  await client.answer(id, frame.kind === "question" ? frame.question.id : "", { confirmed: true });
  await until(id, isEnd, frame.seq);
  expect(await client.command(id, "get_last_assistant_text")).toEqual({ text: "It goes on." });
  expect(made("later")).toBe(true);
  editor.connection.close();
}, 60_000);

it("M1 a session of a terminal is refused in words until /serve opens it, and after /serve stop; when the terminal has left, the server opens it", async () => {
  const terminal = new InsideTerminal(box, env);
  let at = terminal.type(`lathe --plain --model ${MODEL} --permission-mode ask`);
  at = await terminal.see(at, /\/help\r?\n› /);
  turns.push(turn.text("Hello."));
  terminal.keys("hi\n");
  at = await terminal.see(at, /Hello\.[\s\S]*Done[\s\S]*› /);
  const [{ id = "" } = {}] = (await client.sessions()).sessions;
  const refused = {
    status: 409,
    code: "held_elsewhere",
    message: expect.stringMatching(/process \d+, .* Type \/serve/),
  };
  await expect(client.openSession(id)).rejects.toMatchObject(refused);

  terminal.keys("/serve\n");
  at = await terminal.see(at, /lathe attach \w{8}/);
  const { seq } = await client.openSession(id);
  const slow = gate();
  turns.push(turn.text("Said to both.", { before: slow.wait }));
  await client.command(id, "prompt", { message: "from the server" });
  await slow.reached;
  expect((await client.sessions()).sessions).toMatchObject([{ live: true, busy: true }]);
  slow.open();
  const end = await until(id, isEnd, seq);
  at = await terminal.see(at, /Said to both\./);

  const over = until(id, () => false, end.seq);
  terminal.keys("/serve stop\n");
  await expect(over).rejects.toMatchObject(refused);
  terminal.keys("/quit\n");
  await terminal.see(at, /ended-0/);
  expect((await client.openSession(id)).snapshot.state).toMatchObject({ messageCount: 4, permissionMode: "ask" });
  expect(serving.server.sessions.count).toBe(1);
}, 60_000);
