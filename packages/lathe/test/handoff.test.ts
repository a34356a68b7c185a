// Handoffs that fail in some way, and the result of one that succeeds.

import { join } from "node:path";
import { gate, turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { sessionRequest } from "../src/conversation/session-request.ts";
import { Run } from "../src/hosts/run.ts";
import { existingJournal } from "../src/sessions/journals/journal-files.ts";
import { listSessions, sessionName } from "../src/sessions/list.ts";
import { briefing, conversation, type Talk } from "./conversation-kit.ts";

async function ended({ talk, server }: Talk): Promise<void> {
  await talk.close();
  await server.close();
}

it("G-42 a provider that refuses the briefing leaves the person in the session, and everything works on", async () => {
  const c = await conversation();
  c.server.push(turn.text("first"), turn.error(400, { message: "bad thing." }), turn.text("second"));
  await c.say("one");
  const { path } = c.talk.open.journal;
  await expect(c.say("/handoff")).rejects.toThrow("Handoff failed: bad thing. You are still in this session.");
  expect(c.talk.open.journal.path).toBe(path);
  await c.say("two");
  expect(c.lastSent()).toContain("first");
  await c.say("/cost");
  expect(c.lines.at(-1)).toContain("2 answers");
  await ended(c);
});

it("any command that a provider fails says so in one line and leaves the session usable", async () => {
  const c = await conversation();
  c.server.push(
    turn.text("first"),
    turn.text("second"),
    turn.error(400, { message: "bad thing." }),
    turn.text("third"),
  );
  await c.say("one");
  await c.say("two");
  const [first] = c.talk.branchPoints();
  await expect(c.say(`/tree ${first!.id} summary`)).rejects.toMatchObject({
    name: "CliError",
    message: "/tree failed: bad thing.",
  });
  await c.say("three");
  expect(c.lastSent()).toContain("second");
  await ended(c);
});

it.each([
  ["refuses", "I'm sorry, I can't help with that.", "parts are missing", ": ## Goal, ## Done, ## Next steps"],
  ["writes nothing", " ", "it is empty", ""],
])(
  "G-42 a model that %s is told why and asked once more; without a briefing the session goes on",
  async (_how, text, why, details) => {
    const c = await conversation();
    c.server.push(turn.text("first"), turn.text(text), turn.text(text), turn.text(text), turn.text(briefing("Go.")));
    await c.say("one");
    const { path } = c.talk.open.journal;
    await expect(c.say("/handoff")).rejects.toThrow(
      `Handoff failed: the briefing cannot be used: ${why}. You are still in this session.`,
    );
    expect(c.lastSent()).toContain(`This briefing cannot be used: ${why}${details}. Write it again`);
    expect(c.talk.open.journal.path).toBe(path);
    await c.say("/handoff");
    expect(c.talk.open.journal.path).not.toBe(path);
    await ended(c);
  },
);

it("G-42 a session that began with a briefing and was left is kept, listed by its name, and continued with its model and effort", async () => {
  const c = await conversation();
  c.server.push(turn.text("first"), turn.text(briefing("Go.")));
  c.talk.setEffort("low");
  await c.say("fix the parser");
  await c.say("/handoff");
  const { workspace } = c.talk;
  const path = c.talk.open.journal.path!;
  expect(c.talk.isKept).toBe(true);
  await c.talk.close();
  const { sessions, cache } = workspace.paths;
  const listed = listSessions({ sessionsRoot: sessions, cacheFile: join(cache, "heads.json"), now: Date.now() });
  expect(listed.map((session) => [session.path, sessionName(session)])).toContainEqual([path, "fix the parser"]);
  const opened = existingJournal(workspace, path);
  // As a later run finds it, which names no model.
  const { model } = await sessionRequest(await new Run(workspace.machine).open({}), {}, opened);
  expect(model).toMatchObject({ provider: "anthropic", id: "claude-sonnet-4-5", effort: "low" });
  await opened.journal.close();
  await c.server.close();
});

it.each([
  ["as an input", (c: Talk) => c.say("meanwhile")],
  ["as steering", async (c: Talk) => void c.talk.session.steer("meanwhile")],
])(
  "CO-07 strategy handoff: what is said %s while the briefing is written is said in the new session",
  async (_how, speak) => {
    const c = await conversation({ "compaction.strategy": "handoff" });
    const door = gate();
    c.server.push(turn.text("first"), turn.text(briefing("Go."), { before: door.wait }), turn.text("second"));
    c.settings["compaction.thresholdTokens"] = 1;
    const done = c.say("one");
    await door.reached;
    expect(c.talk).toMatchObject({ isMakingRoom: true, isStreaming: false });
    c.settings["compaction.thresholdTokens"] = -1;
    const said = speak(c);
    door.open();
    await Promise.all([done, said]);
    expect(c.server.requests).toHaveLength(3);
    expect(c.lastSent()).toContain("handoff-context");
    expect(c.lastSent()).toContain("meanwhile");
    await ended(c);
  },
);

it("CO-07 strategy handoff: without a briefing the messages are summarized by themselves, not by hand", async () => {
  const c = await conversation();
  c.server.push(turn.text("word ".repeat(3000)), turn.text("more"), turn.error(401, { message: "who?" }));
  await c.say("tell me everything");
  Object.assign(c.settings, {
    "compaction.strategy": "handoff",
    "compaction.thresholdTokens": c.talk.session.contextTokens,
    "compaction.keepRecentTokens": 10,
  });
  await c.say("and more");
  expect(c.warnings).toContain("Handoff failed: who?");
  expect(c.starts.map(({ reason }) => reason)).toEqual(["threshold"]);
  await ended(c);
});
