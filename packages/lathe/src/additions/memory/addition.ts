// Memory as an addition to sessions: its tools, `memory://`, the hint in the first message and `/memory`. SQLite is loaded with the first
// use.

import { createRequire } from "node:module";
import type { Session, ToolDef } from "@lathe/agent";
import { missingPackage } from "@lathe/agent/base";
import type { AdditionMaker } from "../../conversation/session-contract.ts";
import { memoryCommand } from "./command.ts";
import { LocalMemory } from "./local-memory.ts";
import { memoryAddresses } from "./memory-addresses.ts";
import { MemoryPlace } from "./memory-place.ts";
import { memoryTools } from "./memory-tools.ts";
import { NoteJudge } from "./note-judge.ts";
import { isMemoryOn } from "./switches.ts";
import { MEMORY_IS_ELSEWHERE, MEMORY_IS_OFF } from "./words.ts";

const PACKAGE = "@photostructure/sqlite";
const TIMEOUT_MS = 30_000;

export interface MemoryChoices {
  /** At a terminal, memories are made of past sessions in the background. */
  readonly learns: boolean;
  /** Banks of a server that were told their missions by this process. */
  readonly told: Set<string>;
}

export const memoryAddition =
  ({ learns, told }: MemoryChoices): AdditionMaker =>
  async (workspace, request) => {
    const { settings } = workspace;
    // A recording could not be replayed: it does not hold the memories.
    if (request.tape || !isMemoryOn(settings))
      return { name: "memory", commands: async () => [memoryCommand(MEMORY_IS_OFF)] };
    let session: Session | undefined;
    const present = (): Session => session as Session;
    const place = new MemoryPlace(workspace, () => present().env);
    const judge = new NoteJudge({ session: present, redactor: workspace.redactor, digests: place.digests });
    const offer = (made: Session, tools: readonly ToolDef[]): void => {
      session = made;
      for (const tool of tools)
        if (request.tools === undefined || request.tools.includes(tool.name)) made.registerTool(tool);
    };
    if (settings["memory.backend"] === "hindsight") {
      const { hindsightTools } = await import("./hindsight-tools.ts");
      const tools = hindsightTools(workspace, { place, judge, told });
      return {
        name: "memory",
        commands: async () => [memoryCommand(MEMORY_IS_ELSEWHERE)],
        ready: (made) => offer(made, tools),
      };
    }
    if (!isInstalled(PACKAGE)) throw new Error(missingPackage("Memories", PACKAGE));
    const { now } = workspace.machine.deps;
    const memory = new LocalMemory({ place, judge, now, mostRecalled: settings["memory.recallLimit"] });
    let learning: Promise<{ end(): Promise<void> }> | undefined;
    return {
      name: "memory",
      schemes: { memory: memoryAddresses(place) },
      commands: async () => [memoryCommand(() => place)],
      firstTurn: async () => (await place.hint()).text,
      ready: (made) => offer(made, memoryTools({ backend: async () => memory, access: [], timeoutMs: TIMEOUT_MS })),
      opened: (open, { reason }) => {
        if (!learns || reason !== "start" || !settings["memories.enabled"]) return;
        learning = import("./learning.ts").then(({ learn }) => learn(workspace, open, place));
      },
      closing: async () => (await learning)?.end(),
      close: () => place.close(),
    };
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
