// The scripted model in a process of its own, so that its work is not counted as the loop's.

import { startModelServer, turn } from "@lathe/testkit";

const rounds = Number(process.argv[2]);
const call = turn.calls([{ name: "read", args: { path: "small.txt" }, id: "toolu_bench" }], {
  usage: { input: 100, output: 20 },
  chunk: "whole",
});
const server = await startModelServer({
  script: Array.from({ length: rounds }, () => call),
  fast: true,
  strict: false,
});
process.send?.({ url: server.baseUrl("anthropic") });
