// Compaction by OpenAI itself, and what replaces it when it fails.

import { turn } from "@lathe/testkit";
import { afterEach, expect, it } from "vitest";
import { conversation, NOTES, type Talk } from "./conversation-kit.ts";

let c: Talk;
afterEach(async () => {
  await c.talk.close();
  await c.server.close();
});

const OPENAI = { model: "openai/gpt-5.2" };
const paths = (): string[] => c.server.requests.map(({ path }) => path.replace(/^.*\/responses/, "/responses"));
const input = (): Record<string, unknown>[] =>
  (c.server.requests.at(-1)!.body as { input: Record<string, unknown>[] }).input;

async function longTalk(): Promise<void> {
  c.server.push(turn.text("word ".repeat(3000)), turn.text("short"));
  await c.say("tell me everything");
  await c.say("briefly");
}

it("CO-04 OpenAI compacts first: its item goes with later requests, and with the next compaction", async () => {
  c = await conversation({}, OPENAI);
  await longTalk();
  c.server.push(turn.text("sealed-1"), turn.text("fine"));
  await c.say("/compact");
  expect(c.lines.at(-2)).toBe("Compacted: 1 message compacted by the provider, 1 of yours kept word for word.");
  const asked = c.server.requests.at(-1)?.body as Record<string, unknown>;
  expect(Object.keys(asked).sort()).toEqual(["input", "instructions", "model"]);
  expect(JSON.stringify(asked)).toContain("word word");
  await c.say("go on");
  expect(input().find(({ type }) => type === "compaction")).toMatchObject({ encrypted_content: "sealed-1" });
  expect(c.lastSent()).not.toContain(
    "word word word word word word word word word word word word word word word ".repeat(20),
  );
  expect(c.lastSent()).toContain("tell me everything");
  const [entry] = [...c.talk.session.journal.entryIds()]
    .map((id) => c.talk.session.journal.entry(id))
    .filter((one) => one.type === "compaction");
  expect(entry).toMatchObject({
    preserveData: { openaiRemoteCompaction: { provider: "openai", item: { encrypted_content: "sealed-1" } } },
  });

  c.server.push(turn.text("word ".repeat(3000)), turn.text("short"), turn.text("sealed-2"), turn.text("fine"));
  await c.say("again");
  await c.say("briefly");
  await c.say("/compact");
  expect(input()[0]).toMatchObject({ type: "compaction", encrypted_content: "sealed-1" });
  await c.say("go on");
  expect(input().filter(({ type }) => type === "compaction")).toMatchObject([{ encrypted_content: "sealed-2" }]);
  expect(c.warnings).toEqual([]);
  // One request per compaction: nothing is retried or summarized in addition.
  expect(paths().filter((path) => path === "/responses/compact")).toHaveLength(2);
  expect(c.server.requests).toHaveLength(8);
});

it.each([
  ["answers 500", turn.error(500), "Internal server error"],
  ["gives nothing", turn.text(""), "no compacted history"],
  ["gives something longer", turn.text("x".repeat(60_000)), "not shorter"],
])("CO-04 when OpenAI %s, a summary follows in the same compaction", async (_what, answer, reason) => {
  c = await conversation({}, OPENAI);
  await longTalk();
  c.server.push(answer, turn.text(NOTES), turn.text("fine"));
  await c.say("/compact");
  expect(paths().slice(2)).toEqual(["/responses/compact", "/responses"]);
  expect(c.warnings).toEqual([expect.stringContaining(reason)]);
  await c.say("go on");
  expect(c.lastSent()).toContain("The second half.");
});

it("CO-04 compaction.remoteEnabled false, and a focus of the user's: the model summarizes", async () => {
  c = await conversation({ "compaction.remoteEnabled": false }, OPENAI);
  await longTalk();
  c.server.push(turn.text(NOTES));
  await c.say("/compact");
  Object.assign(c.settings, { "compaction.remoteEnabled": true });
  c.server.push(turn.text("word ".repeat(3000)), turn.text("short"), turn.text(NOTES));
  await c.say("again");
  await c.say("briefly");
  await c.say("/compact the tests");
  expect(paths()).not.toContain("/responses/compact");
});

it("CO-04 after a switch to another vendor the sealed history is left out, and the next summary is made of the journal", async () => {
  c = await conversation({}, OPENAI);
  await longTalk();
  c.server.push(turn.text("sealed"), turn.text("fine"));
  await c.say("/compact");
  await c.talk.switchModel("anthropic/claude-sonnet-4-5");
  await c.say("go on");
  expect(c.lastSent()).not.toContain("sealed");
  expect(c.lastSent()).toContain("only its own models can read");
  c.server.push(turn.text("word ".repeat(3000)), turn.text("short"), turn.text(NOTES), turn.text("fine"));
  await c.say("again");
  await c.say("briefly");
  await c.say("/compact");
  expect(c.lastSent()).toContain("tell me everything");
  await c.say("go on");
  expect(c.lastSent()).toContain("The second half.");
});

it("CO-04 when the provider can no longer read its sealed history, it is omitted and the session goes on", async () => {
  c = await conversation({}, OPENAI);
  await longTalk();
  c.server.push(
    turn.text("sealed"),
    turn.error(400, { message: "The encrypted content could not be verified." }),
    turn.text("fine"),
  );
  await c.say("/compact");
  await c.say("go on");
  expect(c.lastSent()).not.toContain("sealed");
  expect(c.warnings.join()).toContain("cannot read");
});

it("CO-04 when the session's model cannot summarize, the model of another role does", async () => {
  c = await conversation({ "modelRoles.smol": "openai/gpt-5-mini", "retry.maxRetries": 8 });
  await longTalk();
  // A wait this long is better spent with the next model.
  c.server.push(turn.error(429, { headers: { "retry-after": "20" } }), turn.text(NOTES), turn.text("fine"));
  await c.say("/compact");
  const [refused, served] = c.server.requests.slice(2);
  expect([refused?.dialect, served?.dialect, served?.model]).toEqual(["anthropic", "responses", "gpt-5-mini"]);
  await c.say("go on");
  expect(c.lastSent()).toContain("The second half.");
});
