// A parser process whose tasks misbehave as foreign bytes can make a parser misbehave.

import { spawn } from "node:child_process";
import { serve } from "../src/files/parser/serve.ts";
import { CannotParse } from "../src/files/parser/tasks/types.ts";

await serve({
  echo: async () => (input) => ({ pid: process.pid, ...input }),
  loops: async () => () => {
    for (;;);
  },
  html: async () => () => {
    for (;;);
  },
  eatsHeap: async () => () => {
    const kept: object[] = [];
    for (;;) kept.push(new Array(10_000).fill(0).map((_, i) => ({ i })));
  },
  eatsBuffers: async () => () => {
    const kept: Buffer[] = [];
    for (;;) kept.push(Buffer.alloc(4 << 20, 1));
  },
  grows: async () => () => {
    (globalThis as { kept?: Buffer }).kept = Buffer.alloc(300 << 20, 1);
    return process.pid;
  },
  nests: async () => () => {
    const deeper = (): number => deeper() + 1;
    return deeper();
  },
  refuses: async () => () => {
    throw new CannotParse("the\nfile is broken.");
  },
  exits: async () => () => process.exit(3),
  chatters: async () => () => {
    console.log("a library says something");
    process.stdout.write("and more");
    return "said";
  },
  answersTooMuch: async () => () => Buffer.alloc(130 << 20),
  leavesChild: async () => () => {
    const child = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" });
    return child.pid;
  },
});
