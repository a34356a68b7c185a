// A model that yields at once, or streams for a while first, by what it is asked.

import { startModelServer, turn } from "@lathe/testkit";

const answer = { input: 100, output: 20 };
const server = await startModelServer({
  script: ({ view }) => {
    const text = view.messages.map(({ text }) => text).join("\n");
    const hasAnswered = view.messages.some(({ role }) => role === "assistant");
    if (text.includes("stream") && !hasAnswered)
      return turn.text("a few words ".repeat(400), { usage: answer, delayMs: 5 });
    if (text.includes("work"))
      return turn.calls([{ name: "yield", args: { output: "done" } }], { usage: answer, chunk: "whole" });
    return turn.text("ok", { usage: answer, chunk: "whole" });
  },
  strict: false,
});
process.send?.({ url: server.baseUrl("anthropic") });
