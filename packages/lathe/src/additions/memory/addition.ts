// Memory as an addition to sessions: its tools, `memory://`, the hint in the first message and `/memory`. SQLite is loaded with the first
// use.

import { createRequire } from "node:module";
import type { Session } from "@lathe/agent";
import { missingPackage } from "@lathe/agent/base";
import type { AdditionMaker, SessionPart } from "../../conversation/session-contract.ts";
import { memoryCommand } from "./command.ts";
import { LocalMemory } from "./local-memory.ts";
import { memoryAddresses } from "./memory-addresses.ts";
import { MemoryPlace } from "./memory-place.ts";
import { memoryTools } from "./memory-tools.ts";
import { isMemoryOn } from "./switches.ts";

const PACKAGE = "@photostructure/sqlite";
const TIMEOUT_MS = 30_000;

/** `learns`: at a terminal, memories are made of past sessions in the background. */
export const memoryAddition =
  ({ learns }: { readonly learns: boolean }): AdditionMaker =>
  async (workspace, request) => {
    const { settings, machine, redactor } = workspace;
    // A recording could not be replayed: it does not hold the memories.
    if (request.tape || !isMemoryOn(settings))
      return { name: "memory", commands: async () => [memoryCommand(undefined)] };
    if (!isInstalled(PACKAGE)) throw new Error(missingPackage("Memories", PACKAGE));
    let session: Session | undefined;
    const place = new MemoryPlace(workspace, () => (session as Session).env);
    const memory = new LocalMemory({
      place,
      session: () => session as Session,
      redactor,
      now: machine.deps.now,
      mostRecalled: settings["memory.recallLimit"],
    });
    let learning: Promise<{ end(): Promise<void> }> | undefined;
    const part: SessionPart = {
      name: "memory",
      schemes: { memory: memoryAddresses(place) },
      commands: async () => [memoryCommand(() => place)],
      firstTurn: async () => (await place.hint()).text,
      ready: (made) => {
        session = made;
        for (const tool of memoryTools({ backend: async () => memory, access: [], timeoutMs: TIMEOUT_MS }))
          if (request.tools === undefined || request.tools.includes(tool.name)) made.registerTool(tool);
      },
      opened: (open, { reason }) => {
        if (!learns || reason !== "start" || !settings["memories.enabled"]) return;
        learning = import("./learning.ts").then(({ learn }) => learn(workspace, open, place));
      },
      closing: async () => (await learning)?.end(),
      close: () => place.close(),
    };
    return part;
  };

/** Looked for, not loaded: that takes as long as the rest of a start. */
function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}
