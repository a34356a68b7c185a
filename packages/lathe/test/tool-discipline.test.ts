// G-69: model families that are weak at tools get rules for tool calls ahead of everything else.

import { afterEach, beforeEach, expect, it } from "vitest";
import { type Bench, bench } from "./models-kit.ts";

let b: Bench;
beforeEach(async () => {
  b = await bench();
});
afterEach(() => b.close());

const RULES = "Rules for tool calls.";

it("G-69 a composer model has the rules first over each transport, others have none; the setting wins", async () => {
  const apis = { chat: "openai-completions", openai: "openai-responses", anthropic: "anthropic-messages" } as const;
  const rows = Object.entries(apis).map(
    ([dialect, api]) =>
      `  by-${dialect}:\n    baseUrl: ${b.server.baseUrl(dialect as never)}\n    api: ${api}\n    apiKey: k\n    models: [{ id: x-composer-1 }, { id: m1 }, { id: decomposer }]\n`,
  );
  await b.write("models.yml", `providers:\n${rows.join("")}`);
  const system = async (...args: string[]): Promise<string> => {
    const from = b.modelRequests.length;
    expect(await b.ask(args)).toMatchObject({ code: 0 });
    return b.modelRequests[from]?.view.system ?? "";
  };
  for (const dialect of Object.keys(apis)) {
    expect(await system("--model", `by-${dialect}/x-composer-1`)).toMatch(
      new RegExp(`^${RULES}[\\s\\S]*You are Lathe`),
    );
    expect(await system("--model", `by-${dialect}/m1`)).not.toContain(RULES);
  }
  const own = await system("--model", "by-chat/x-composer-1", "--system-prompt", "Only this.");
  expect(own.startsWith(RULES)).toBe(true);
  expect(own).toContain("Only this.");
  expect(await system("--model", "by-chat/decomposer")).not.toContain(RULES);
  const file = await b.write("discipline.yml", "toolDiscipline: off\n");
  expect(await system("--model", "by-chat/x-composer-1", "--config", file)).not.toContain(RULES);
  await b.write("discipline.yml", "toolDiscipline: on\n");
  expect(await system("--model", "by-chat/m1", "--config", file)).toContain(RULES);
});
