// Memory as a part of a session, if it is on: its tools, `memory://`, the hint in the first message, and `/memory`. It
// is a separate pack, so that a start with memory loads little else. SQLite is loaded on first use.

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Session, ToolDef } from "@lathe/agent";
import { missingPackage } from "@lathe/agent/base";
import type { SessionPart, SessionRequest } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { memoryCommand } from "./command.ts";
import { LocalMemory } from "./local-memory.ts";
import { memoryAddresses } from "./memory-addresses.ts";
import { MemoryPlace } from "./memory-place.ts";
import { memoryTools } from "./memory-tools.ts";
import { NoteJudge } from "./note-judge.ts";
import type { MemoryChoices } from "./switches.ts";
import { textsBySpeaker } from "./texts-by-speaker.ts";
import { MEMORY_IS_ELSEWHERE } from "./words.ts";

const PACKAGE = "@photostructure/sqlite";
const TIMEOUT_MS = 30_000;

export async function memoryOn(
  workspace: SessionWorkspace,
  request: SessionRequest,
  { learns, told }: MemoryChoices,
): Promise<SessionPart> {
  const { settings } = workspace;
  let session: Session | undefined;
  const present = (): Session => session as Session;
  const place = new MemoryPlace(workspace, () => present().env, !request.environment && !request.aroundMachine);
  const judge = new NoteJudge({ session: present, redactor: workspace.redactor, digests: place.digests });
  const offer = (made: Session, tools: readonly ToolDef[]): void => {
    session = made;
    for (const tool of tools)
      if (request.tools === undefined || request.tools.includes(tool.name)) made.registerTool(tool);
  };
  if (settings["memory.backend"] === "hindsight") {
    const { memoryOnServer } = await import("./memory-on-server.ts");
    const { tools, hint } = memoryOnServer(workspace, { place, judge, told });
    return {
      name: "memory",
      commands: async () => [memoryCommand(MEMORY_IS_ELSEWHERE)],
      firstTurn: () => hint(textsBySpeaker(present().journal).byUser.at(-1) ?? ""),
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
      const { problem } = place;
      if (problem !== undefined) open.session.warn(problem, "memory");
      if (!learns || reason !== "start" || !settings["memories.enabled"]) return;
      learning = import("./learning.ts").then(({ learn }) => learn(workspace, open, place));
    },
    closing: async () => (await learning)?.end(),
    close: () => place.close(),
  };
}

/**
 * Searches the folders in which Node would. Loading the package takes as long as the rest of a start, and asking Node's
 * resolver a twentieth of it.
 */
function isInstalled(name: string): boolean {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, "node_modules", name, "package.json"))) return true;
    if (folder === dirname(folder)) return false;
  }
}
