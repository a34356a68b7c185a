// Opens, uses and closes sessions one after another, like a server that makes one for each request; prints what they
// leave behind. Started with --expose-gc.

import { readdirSync } from "node:fs";
import { defaultDeps } from "@lathe/llm";
import { createSession } from "../src/index.ts";

const [baseUrl = "", cwd = "", count = "0"] = process.argv.slice(2);
const deps = defaultDeps({ env: { PATH: process.env["PATH"] ?? "" } });

async function useSession(number: number): Promise<void> {
  // Only some of them ask git, because it takes longer than all the rest.
  const surroundings = number % 20 === 0 ? undefined : () => ({ environment: "", projectDocs: "" });
  const model = "anthropic/claude-opus-4-6";
  const session = await createSession({ model, apiKey: "key", baseUrl, cwd, deps, surroundings });
  const { reason } = await session.submit("hello");
  if (reason !== "completed") throw new Error(reason);
  await session.close();
}

async function measure(): Promise<{ readonly descriptors: number; readonly heap: number }> {
  // A closed socket disappears within the next turns of the event loop.
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
  for (let i = 0; i < 4; i++) globalThis.gc?.();
  return { descriptors: readdirSync("/proc/self/fd").length, heap: process.memoryUsage().heapUsed };
}

// Code that is loaded and compiled on first use is not a leak.
for (let i = 0; i < 20; i++) await useSession(i);
const before = await measure();
for (let i = 0; i < Number(count); i++) await useSession(i);
console.log(JSON.stringify({ before, after: await measure() }));
