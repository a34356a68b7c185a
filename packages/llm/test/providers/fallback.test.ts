import { startModelServer, turn } from "@lathe/testkit";
import { describe, expect, it } from "vitest";
import { createProvider } from "../../src/providers/index.ts";
import { Message } from "../../src/types/message.ts";
import { depsWith, streamed } from "./kit.ts";

describe("a local server without the Responses API", () => {
  it("AD-80 the switch to Chat Completions does not look like a change of the prefix", async () => {
    await using server = await startModelServer({
      script: () => turn.text("ok"),
      auth: "none",
      listings: { missing: ["/responses"] },
    });
    const adapter = createProvider("ollama", { baseUrl: server.baseUrl("ollama"), deps: depsWith({}) });
    const messages = [Message.system("Be brief."), Message.user("hi")];
    const before = adapter.segments?.({ model: "m", messages })?.map(({ hash }) => hash) ?? [];
    const first = await streamed(adapter, { model: "m", messages });
    const next = { model: "m", messages: [...messages, first.message, Message.user("more")] };
    const after = adapter.segments?.(next)?.map(({ hash }) => hash) ?? [];
    expect(before.length).toBeGreaterThan(1);
    expect(after.slice(0, before.length)).toEqual(before);
    await streamed(adapter, next);
    expect(server.requests.map(({ path }) => path)).toEqual([
      "/v1/responses",
      "/v1/chat/completions",
      "/v1/chat/completions",
    ]);
    await adapter.close?.();
  });
});
