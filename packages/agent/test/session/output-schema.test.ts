// A host that wants data gives a schema and gets a typed value; the session asks again by itself.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultDeps } from "@lathe/llm";
import { Type } from "typebox";
import { expect, it } from "vitest";
import { CodingAgent } from "../../src/session/headless/coding-agent.ts";
import { createSession } from "../../src/session/headless/create-session.ts";
import { ScriptedClient } from "../support/scripted-client.ts";
import { setUp } from "../support/session.ts";

const Count = Type.Object({ n: Type.Integer() });
const folder = mkdtempSync(join(tmpdir(), "lathe-output-"));
const model = "anthropic/claude-opus-4-6";

it("an answer that fits is a typed value; the schema goes with the input, and words around the JSON are left out", async () => {
  const s = setUp({ script: [{ text: 'Here: {"n": 7}.' }, { text: "plain" }] });
  const { output, text, reason } = await s.session.submit("count", { outputSchema: Count });
  const n: number | undefined = output?.n;
  expect([n, text, reason]).toEqual([7, '{"n": 7}', "completed"]);
  expect(JSON.stringify(s.client.requests[0])).toContain("fits this JSON Schema");
  expect(await s.session.submit("and in words")).toMatchObject({ text: "plain", reason: "completed" });
  await s.finish();
});

it("a schema that the host sets between inputs holds from the next input on, until it is taken away", async () => {
  const s = setUp({ script: [{ text: "free" }, { text: 'Here: {"n": 1}.' }, { text: "free again" }] });
  expect(await s.session.submit("say something")).toMatchObject({ text: "free" });
  s.session.outputSchema = Count;
  expect(await s.session.submit("count")).toMatchObject({ output: { n: 1 }, reason: "completed" });
  s.session.outputSchema = undefined;
  expect(await s.session.submit("say something")).toMatchObject({ text: "free again", reason: "completed" });
  await s.finish();
});

it("an answer that does not fit is asked for again within the same input, with what is wrong", async () => {
  const client = new ScriptedClient([{ text: "seven" }, { text: '{"n": "7"}' }, { text: '{"n": 7}' }]);
  const session = await createSession({ model, apiKey: "k", cwd: folder, client, outputSchema: Count });
  const agent = new CodingAgent(session);
  const seen: string[] = [];
  for await (const event of agent.prompt("count")) seen.push(event.type);
  expect(seen.filter((type) => type === "agent_end")).toHaveLength(1);
  expect(client.requests.map(({ messages }) => JSON.stringify(messages.at(-1)))).toEqual([
    expect.stringContaining("fits this JSON Schema"),
    expect.stringContaining("it is not valid JSON"),
    expect.stringContaining("n must be a whole number"),
  ]);
  await session.close();
});

it("after two more tries the input ends with an error of its own kind, and the session stays usable", async () => {
  const s = setUp({ script: [{ text: "a" }, { text: "b" }, { text: "c" }, { text: '{"n": 1}' }] });
  const failed = await s.session.submit("count", { outputSchema: Count });
  expect(failed).toMatchObject({ reason: "error", text: "c", error: { kind: "output", type: "OutputError" } });
  expect(failed.output).toBeUndefined();
  expect((await s.session.submit("again", { outputSchema: Count })).output).toEqual({ n: 1 });
  await s.finish();
});

it("an answer that was cut off is not asked for again: it would be cut off again", async () => {
  const s = setUp({ script: [{ text: '{"n": ', finish: "length" }] });
  const { error } = await s.session.submit("count", { outputSchema: Count });
  await s.finish();
  expect(error?.message).toBe("The answer does not fit the schema: it was cut off at the output limit");
});

it("a schema that no answer can be checked against is refused with the code config, and nothing is sent", async () => {
  const wrong = { type: "strin" };
  const s = setUp({ script: [] });
  await expect(s.session.submit("count", { outputSchema: wrong })).rejects.toMatchObject({ code: "config" });
  expect(s.session.state).toBe("idle");
  await s.finish();
  const given = { model, apiKey: "k", cwd: folder, outputSchema: wrong, deps: defaultDeps({ env: {} }) };
  await expect(createSession(given)).rejects.toMatchObject({ code: "config" });
});
