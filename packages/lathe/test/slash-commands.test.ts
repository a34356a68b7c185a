// What slash commands have in common: words they do not know, narrow screens, models without a price.

import { turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { conversation } from "./conversation-kit.ts";

it("a command that takes nothing refuses further words instead of ignoring them", async () => {
  const c = await conversation();
  c.server.push(turn.text("first"));
  await c.say("one");
  const { path } = c.talk.open.journal;
  for (const line of ["/fork x", "/cost x", "/uncompact now", "/new y", "/tree default extra"])
    await expect(c.say(line)).rejects.toThrow(/^\/[\w ]+ takes (no argument|nothing more), but got "\w+"\.$/);
  expect(c.talk.open.journal.path).toBe(path);
  await c.talk.close();
  await c.server.close();
});

it("/tree and /context fit a screen of 40 columns", async () => {
  const c = await conversation();
  c.server.push(turn.text("a long answer ".repeat(20)));
  await c.say("please explain at length what this project is about");
  c.view.columns = 40;
  await c.say("/tree");
  await c.say("/context all");
  const [tree = "", context = ""] = c.lines.slice(-2);
  expect(tree.split("\n")).toHaveLength(2);
  const tables = context.split("\n").slice(2);
  expect([...tree.split("\n"), ...tables].filter((line) => [...line].length > 40)).toEqual([]);
  expect(tree).toContain("…");
  expect(context).toMatch(/your messages +please expla\w*…/);
  await c.talk.close();
  await c.server.close();
});

it("/cost does not call a model without a known price free", async () => {
  const c = await conversation({}, { model: "openai/gpt-of-tomorrow" });
  c.server.push(turn.text("first"));
  await c.say("one");
  await c.say("/cost");
  expect(c.lines.at(-1)).toMatch(/^1 answer, .* out, –\n/);
  expect(c.lines.at(-1)).not.toContain("$");
  await c.talk.close();
  await c.server.close();
});
