// Sessions of `lathe serve`: what is lost when a process dies, and what is closed when unused. The children are real.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { type ModelServer, type RecordedRequest, startModelServer, type Turn, turn } from "@lathe/testkit";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { DoorFrame, LatheClient, NewSession } from "../../src/doors/serve/client.ts";
import { CLI, type Sandbox, sandbox } from "../command.ts";
import { machineOf, Text } from "../machine.ts";
import { type Serving, serve } from "./serve-kit.ts";

const PRELOAD = fileURLToPath(new URL("./die-as-told.cjs", import.meta.url));
const MODEL = "openai/gpt-5.2";
/** As in http/event-stream.ts. */
const SIGN_OF_LIFE_MS = 15_000;

let box: Sandbox;
let model: ModelServer;
let serving: Serving;
let client: LatheClient;
let env: Record<string, string>;

/** One call, then an answer; earlier steps are in the request. */
function script({ view }: RecordedRequest): Turn {
  const results = view.messages.flatMap(({ results }) => results);
  return results.length === 0
    ? turn.calls([{ name: "shell", args: { command: "echo made >> made.txt" } }])
    : turn.text("It is made.");
}

beforeAll(async () => {
  box = await sandbox();
  model = await startModelServer({ script });
  env = { OPENAI_API_KEY: "key", OPENAI_BASE_URL: model.baseUrl("openai") };
  serving = await serve(box, env, { command: [process.execPath, "--require", PRELOAD, CLI] });
  client = await serving.client("test", "read", "prompt", "approve", "admin");
});
afterAll(async () => {
  await serving.server.end({ forgets: true });
  await model.close();
  await box.remove();
});

/** A session in a folder of its own. */
async function start(
  name: string,
  more: { readonly die?: string; readonly permissionMode?: NewSession["permissionMode"] } = {},
) {
  const cwd = join(box.dir, name);
  mkdirSync(cwd);
  if (more.die !== undefined) writeFileSync(join(cwd, ".die"), more.die);
  const id = await client.createSession({ cwd, model: MODEL, permissionMode: more.permissionMode ?? "full" });
  return { id, cwd };
}

async function until(id: string, fits: (frame: DoorFrame) => boolean, after?: number): Promise<DoorFrame> {
  for await (const frame of client.follow(id, { after })) if (fits(frame)) return frame;
  throw new Error("The stream ended.");
}

const isEnd = (frame: DoorFrame): boolean =>
  (frame.kind === "event" && frame.event.type === "agent_end") ||
  (frame.kind === "snapshot" && !frame.snapshot.state.isStreaming && frame.snapshot.state.messageCount > 3);

it("M1 two clients see one session; an answer counts once; what was said is in the list and the journal", async () => {
  const { id } = await start("asked", { permissionMode: "ask" });
  const { seq } = await client.openSession(id);
  await client.command(id, "prompt", { message: "make it" });
  const asked = await until(id, ({ kind }) => kind === "question", seq);
  const question = asked.kind === "question" ? asked.question.id : "";
  const phone = await serving.client("phone", "read", "approve");
  const answers = await Promise.all([
    client.answer(id, question, { confirmed: true }),
    phone.answer(id, question, { confirmed: true }),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual(["accepted", "settled"]);
  expect(await phone.answer(id, question, { confirmed: false })).toMatchObject({ status: "settled" });
  await expect(phone.answer(id, "9-none", { confirmed: true })).rejects.toMatchObject({ code: "unknown_question" });
  await until(id, isEnd, asked.seq);
  const { sessions } = await client.sessions({ search: "make" });
  expect(sessions).toMatchObject([{ id, live: true, busy: false, questions: 0 }]);
});

it("M1 a session that dies again and again without getting on is left alone after three times", async () => {
  const { id } = await start("doomed", { die: "6 1 1 1" });
  await client.command(id, "prompt", { message: "make it" }).catch(() => {});
  await vi.waitFor(() => expect(serving.stderr.text).toContain(`Session ${id} has died 3 times`), 30_000);
});

it("M1 a session that nobody uses is closed to its journal, and opened when it is used", async () => {
  const { id } = await start("idle");
  await client.command(id, "prompt", { message: "make it" });
  await until(id, isEnd);
  const idle = await serve(box, env, { idleMs: 50 });
  try {
    await client.closeSession(id);
    const reader = await idle.client("reader", "read");
    expect((await reader.openSession(id)).snapshot.state.messageCount).toBe(4);
    for await (const { kind } of reader.follow(id)) {
      expect(kind).toBe("snapshot");
      // It stays open as long as a client follows it.
      expect((await reader.sessions()).sessions.find((row) => row.id === id)).toMatchObject({ live: true });
      break;
    }
    await vi.waitFor(() => expect(idle.server.sessions.count).toBe(0), 10_000);
    expect((await reader.openSession(id)).snapshot.state.messageCount).toBe(4);
  } finally {
    await idle.server.end({ forgets: true });
  }
});

it("M1 what begins in a session keeps its permission mode, also when it is closed and opened again", async () => {
  const { id } = await start("mode", { permissionMode: "read-only" });
  const prompter = await serving.client("closer", "read", "prompt");
  const { sessionId } = await prompter.command(id, "new_session");
  // An empty session is not kept.
  await client.command(sessionId, "prompt", { message: "make it" });
  await until(sessionId, isEnd);
  await prompter.closeSession(sessionId);
  expect(await client.command(sessionId, "get_state")).toMatchObject({ permissionMode: "read-only" });
});

it("M1 the open stream of a token ends when it is revoked; that of another goes on", async () => {
  const real = machineOf({ cwd: box.dir, env: { ...box.env, ...env } }, new PassThrough(), new Text(), new Text());
  // Looks every 20 ms what it looks every 15 s.
  const setTimer: typeof real.deps.setTimer = (callback, ms) =>
    real.deps.setTimer(callback, ms === SIGN_OF_LIFE_MS ? 20 : ms);
  const quick = await serve(box, env, { machine: { ...real, deps: { ...real.deps, setTimer } } });
  try {
    const admin = await quick.client("test", "read", "prompt", "admin");
    const id = await admin.createSession({ cwd: box.dir, model: MODEL, permissionMode: "full" });
    const [gone, stays] = await Promise.all([quick.client("gone", "read"), quick.client("stays", "read")]);
    const [ends, goesOn] = [gone.events(id), stays.events(id)];
    for (const frames of [ends, goesOn]) expect((await frames.next()).value).toMatchObject({ kind: "snapshot" });
    await quick.server.tokens.revoke("gone");
    for (let next = await ends.next(); next.done !== true; next = await ends.next());
    await expect(gone.openSession(id)).rejects.toMatchObject({ status: 401, code: "unknown_token" });
    await admin.command(id, "prompt", { message: "make it" });
    for await (const frame of goesOn) if (frame.kind === "event" && frame.event.type === "agent_end") return;
    throw new Error("The other stream has ended, too.");
  } finally {
    await quick.server.end({ forgets: true });
  }
});
