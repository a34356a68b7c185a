// A conversation of this process with clients at its door, in the process and over the socket of the local door.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { basename, join } from "node:path";
import { PassThrough } from "node:stream";
import { defaultDeps } from "@lathe/llm";
import { turn } from "@lathe/testkit";
import { afterEach, expect, it } from "vitest";
import { seeded } from "../../../agent/test/journal/support.ts";
import type { Person } from "../../src/conversation/session-contract.ts";
import { type AskedClient, SharedPerson } from "../../src/conversation/shared-person.ts";
import { printAtDoor } from "../../src/doors/attach/print-at-door.ts";
import { openConversationDoor } from "../../src/doors/door/conversation-door.ts";
import type { DoorFrame } from "../../src/doors/door/door.ts";
import { type SessionLink, SharedDoor } from "../../src/doors/door/shared-door.ts";
import { listenLocally } from "../../src/doors/local/listen.ts";
import { joinLocally, LocalDoor, localSessions } from "../../src/doors/local/local-door.ts";
import { machineOf, Text } from "../machine.ts";
import { clientNamed, Follower, saidIn } from "./follower.ts";
import { type ServedConversation, servedConversation, shell } from "./served-conversation.ts";

const ROUNDS = process.env["LATHE_LONG"] === undefined ? 100 : 1000;

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function open(first?: AskedClient): Promise<ServedConversation> {
  const served = await servedConversation(first);
  closing.push(() => served.close());
  return served;
}

const phone = clientNamed("phone");

it("M1: the user at the terminal and the clients of its door are asked the same; whoever answers first is told to the others", async () => {
  const asked: { readonly tool: string; readonly signal: AbortSignal }[] = [];
  let answer = (_allowed: boolean): void => {};
  const terminal: Person = {
    approve: ({ tool_name: tool }, signal) => {
      asked.push({ tool, signal });
      return new Promise((resolve) => {
        answer = (allowed) => resolve({ decision: allowed ? "allow" : "deny", by: "user" });
      });
    },
  };
  const { talk, door, local, folder } = await open({ name: "terminal", person: terminal });
  for (const command of ["touch one", "touch two"]) talk.server.push(turn.blocks([shell(command)]));
  talk.server.push(turn.text("Both are there."));
  expect(statSync(local.socket).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const joined = await joinLocally(folder, door.sessionId, phone);
  if (!joined) throw new Error("The session has no local door.");
  closing.push(() => joined.close());
  const follower = new Follower(joined, phone);
  await follower.wait("snapshot");
  await joined.command(phone, "prompt", { message: "make them" });
  const first = await follower.wait("question");
  expect(joined.isBusy).toBe(true);
  expect(await joined.answer(phone, first.question.id, { confirmed: true })).toEqual({ status: "accepted" });
  const second = await follower.wait("question", ({ question: { id } }) => id !== first.question.id);
  expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, false]);
  answer(true);
  await follower.event("agent_end");
  const settled = follower.frames.flatMap((frame) => (frame.kind === "settled" ? [[frame.questionId, frame.by]] : []));
  expect(settled).toEqual([
    [first.question.id, "phone"],
    [second.question.id, "terminal"],
  ]);
  const approvals = follower.events.flatMap((event) => (event.type === "lathe:approval_settled" ? [event.by] : []));
  expect(approvals).toEqual(["phone", "user"]);
  expect(saidIn(follower.events)).toBe("Both are there.");
  expect(await joined.answer(phone, second.question.id, { confirmed: false })).toEqual({
    status: "settled",
    by: "terminal",
  });
  await expect(joined.command(phone, "set_host_tools", { tools: [] })).rejects.toMatchObject({ code: "not_available" });
  await expect(joined.command(phone, "set_label", { entryId: "nosuch" })).rejects.toThrow("nosuch");

  // Another session replaces it: the door is found under the new id.
  await talk.talk.startNew();
  await follower.wait("session", ({ sessionId }) => sessionId === talk.talk.session.id);
  expect([joined.sessionId, door.sessionId]).toEqual([talk.talk.session.id, talk.talk.session.id]);
  expect((await localSessions(folder, phone)).map(({ sessionId }) => sessionId)).toEqual([talk.talk.session.id]);
  await door.close();
  await follower.wait("closed");
  await expect.poll(() => readdirSync(folder)).toEqual([]);
  expect(talk.talk.session.state).toBe("idle");
});

it("M1 lathe -p in a session that stands at a question says so before it waits, and its prompt follows the answer", async () => {
  const { talk, door, folder } = await open();
  talk.server.push(turn.blocks([shell("touch one")]), turn.text("It is there."), turn.text("Second answer."));
  const asking = new Follower(door, phone);
  const working = talk.talk.submit("make it");
  const { question } = await asking.wait("question");
  const joined = await joinLocally(folder, door.sessionId, clientNamed("script"));
  if (!joined) throw new Error("The session has no local door.");
  const [stdout, stderr] = [new Text(), new Text()];
  const machine = machineOf({ cwd: talk.root, env: {} }, new PassThrough(), stdout, stderr);
  const printing = printAtDoor({ door: joined, client: clientNamed("script") }, machine, {
    prompts: ["and then"],
    isJson: false,
  });
  const line = `lathe: The session waits for an answer (Run touch one?). Answer it where the session is open, or with: lathe attach ${door.sessionId.slice(0, 8)}\n`;
  await expect.poll(() => stderr.text).toBe(line);
  await joined.answer(phone, question.id, { confirmed: true });
  expect(await printing).toBe(0);
  await working;
  expect([stdout.text, stderr.text]).toEqual(["Second answer.\n", line]);
});

it(`M1: ${ROUNDS} disconnects of clients that come back: no frame is lost, none is seen twice`, async () => {
  const { talk, door, local } = await open();
  const whole = new Follower(door, clientNamed("whole"));
  await whole.wait("snapshot");
  const random = seeded(27);
  let left = ROUNDS;
  const come = async (name: string): Promise<readonly DoorFrame[]> => {
    const client = clientNamed(name);
    const joined = await LocalDoor.open(local.socket, client);
    closing.push(() => joined.close());
    const frames: DoorFrame[] = [];
    while (left > 0) {
      left--;
      let some = Math.floor(random() * 8);
      const stream = joined.follow(client, frames.at(-1)?.seq);
      for (let next = await stream.next(); !next.done; next = await stream.next()) {
        frames.push(next.value);
        if (some-- <= 0) await stream.return?.();
      }
    }
    return frames;
  };
  talk.answer(() => turn.text("one two three four five six", { deltaChars: 1 }));
  const work = async (): Promise<void> => {
    while (left > 0) await talk.talk.submit("go on");
  };
  const [, ...seen] = await Promise.all([work(), ...["a", "b", "c", "d", "e", "f"].map(come)]);
  for (const frames of seen) {
    const [snapshot, ...rest] = frames;
    expect(snapshot?.kind).toBe("snapshot");
    expect(rest.map(({ seq }) => seq)).toEqual(rest.map((_, i) => (snapshot?.seq ?? 0) + 1 + i));
    const last = rest.at(-1)?.seq ?? 0;
    await whole.wait("clients", ({ seq }) => seq >= last);
    const from = whole.frames.findIndex(({ seq }) => seq === rest[0]?.seq);
    expect(rest).toEqual(whole.frames.slice(from, from + rest.length));
  }
});

it("M1: the socket of a dead process is recognised and removed; a long home has its socket elsewhere", async () => {
  const { talk, folder } = await open();
  const dead = { sessionId: "0000dead", socket: join(folder, "999999-1.sock"), pid: 999999, cwd: talk.root };
  const server = createServer().listen(dead.socket);
  await new Promise((resolve) => server.once("listening", resolve));
  writeFileSync(join(folder, "0000dead.json"), JSON.stringify({ ...dead, socket: `${dead.socket}.gone` }));
  writeFileSync(join(folder, "broken.json"), "{");
  expect((await localSessions(folder, phone)).map(({ sessionId }) => sessionId)).toEqual([talk.talk.session.id]);
  expect(existsSync(join(folder, "0000dead.json"))).toBe(false);
  expect(await joinLocally(folder, "0000dead", phone)).toBeUndefined();
  await new Promise((resolve) => server.close(resolve));

  const far = join(talk.root, "x".repeat(120));
  mkdirSync(far);
  const person = new SharedPerson();
  const door = await openConversationDoor({ conversation: talk.talk, person, deps: defaultDeps() });
  const elsewhere = await listenLocally(door, { folder: far, pid: process.pid, cwd: talk.root });
  const joined = await joinLocally(far, door.sessionId, phone);
  expect(joined?.sessionId).toBe(talk.talk.session.id);
  await joined?.close();
  await elsewhere.close();
  expect([existsSync(elsewhere.socket), readdirSync(far)]).toEqual([false, []]);
  await door.close();
});

it("M1: what killed processes have left of their doors goes when another door opens; a door that lives stays", async () => {
  const { talk, folder } = await open();
  const living = readdirSync(folder);
  const socket = join(folder, "999999-1.sock");
  const listen = `require("node:net").createServer().listen(${JSON.stringify(socket)}, () => process.kill(process.pid, 9))`;
  spawnSync(process.execPath, ["-e", listen]);
  expect(existsSync(socket)).toBe(true);
  const left = { sessionId: "0000dead", socket: join(folder, "999998-1.sock"), pid: 999998, cwd: talk.root };
  writeFileSync(join(folder, "0000dead.json"), JSON.stringify(left));
  const person = new SharedPerson();
  const door = await openConversationDoor({ conversation: talk.talk, person, deps: defaultDeps() });
  const second = await listenLocally(door, { folder, pid: process.pid, cwd: talk.root });
  expect(readdirSync(folder).sort()).toEqual([...living, basename(second.socket)].sort());
  await second.close();
  await door.close();
});

it("M1: what is no line of a client ends its connection and nothing else; a session that hangs is told as one", async () => {
  const { talk, folder, door, local } = await open();
  const hello = { type: "hello", name: "x", kind: "terminal", scopes: [] };
  const said = (lines: readonly unknown[]): Promise<string> =>
    new Promise((resolve) => {
      let answer = "";
      const socket = connect(local.socket, () =>
        socket.write(lines.map((line) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`).join("")),
      );
      socket.on("data", (piece) => {
        answer += String(piece);
      });
      socket.on("close", () => resolve(answer));
    });
  for (const line of ["null", "[]", "{", { type: "hello" }, { type: "hello", name: "x", kind: "terminal", scopes: 5 }])
    expect(await said([line])).toBe("");
  const from = { name: "x", kind: "terminal", scopes: [] };
  for (const line of [null, { type: "command", id: 1 }, { type: "answer", id: 1, from, questionId: "q", answer: null }])
    expect(await said([hello, line])).toMatch(/^\{"type":"welcome"[^\n]*\}\n$/);
  const joined = await joinLocally(folder, door.sessionId, phone);
  expect(await joined?.command(phone, "get_state", {})).toMatchObject({ sessionId: talk.talk.session.id });
  await joined?.close();

  // It existed when its door opened, and has emitted nothing since.
  let isThere = true;
  const state = { sessionId: "hangs", isStreaming: false, leafId: null };
  const link = {
    ...{ hasEnded: false, onEvent: () => {}, onUiRequest: () => {}, onFailure: () => {}, stop: async () => {} },
    request: async () => {
      if (isThere) return state as never;
      throw new Error("get_state was not answered within 30000 ms.");
    },
  } satisfies SessionLink;
  const hanging = await SharedDoor.open(link, { deps: defaultDeps() });
  const other = await listenLocally(hanging, { folder, pid: process.pid, cwd: talk.root });
  isThere = false;
  const client = await joinLocally(folder, "hangs", phone);
  if (!client) throw new Error("The session has no local door.");
  const { value: frame } = await client.follow(phone).next();
  expect(frame).toMatchObject({ kind: "closed", problem: expect.stringContaining("The session does not answer: ") });
  await client.close();
  await other.close();
  await hanging.close();
});

it("M1: a process that takes connections and says nothing is named, and does not keep others from being found", async () => {
  const { talk, folder } = await open();
  const socket = join(folder, `${process.pid}-9.sock`);
  const silent = createServer((connection) => connection.resume()).listen(socket);
  writeFileSync(
    join(folder, "silent.json"),
    JSON.stringify({ sessionId: "silent", socket, pid: 4711, cwd: talk.root }),
  );
  const [found, joining] = await Promise.all([
    localSessions(folder, phone),
    joinLocally(folder, "silent", phone).catch(String),
  ]);
  expect(found.map(({ sessionId }) => sessionId).sort()).toEqual([talk.talk.session.id, "silent"].sort());
  expect(joining).toContain("The session is open in process 4711, which does not answer.");
  rmSync(join(folder, "silent.json"));
  await new Promise((resolve) => silent.close(resolve));
});
