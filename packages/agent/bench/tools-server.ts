// The scripted model for one tool, in a process of its own: `tools-server.ts <tool> <arguments as JSON> <rounds>`.

import { startModelServer, turn } from "@lathe/testkit";

const [name, args, rounds] = process.argv.slice(2);
const call = turn.calls([{ name: name!, args: JSON.parse(args!), id: "toolu_bench" }], { chunk: "whole" });
const server = await startModelServer({
  script: Array.from({ length: Number(rounds) }, () => call),
  fast: true,
  strict: false,
});
process.send?.({ url: server.baseUrl("anthropic") });
