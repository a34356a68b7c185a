// `/memory`: shows what a new session would get, and clears it. The command expands to a prompt, so it works in every
// host.

import type { PromptCommand } from "../../conversation/session-contract.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { clearMemories } from "./clear.ts";
import type { MemoryPlace } from "./memory-place.ts";
import { MemoryWork } from "./memory-work.ts";
import { countOf } from "./words.ts";

const VERBS = ["view", "clear", "rebuild"] as const;

/** `place`: the memories, or why there is nothing to show. */
export const memoryCommand = (place: (() => MemoryPlace) | string): PromptCommand => ({
  name: "memory",
  // Many users already have a command of this name.
  yields: true,
  arguments: "[view | clear | rebuild]",
  description: "show the notes that a new session gets, or delete this project's notes",
  complete: (_target, typed) => VERBS.filter((verb) => verb.startsWith(typed)),
  givesText: () => false,
  expand: async (argument, open) => {
    // Each notice has one line.
    const tell = (text: string): void => {
      for (const line of text.split("\n")) open.session.warn(line, "memory");
    };
    if (typeof place === "string") tell(place);
    else if (argument === "" || argument === "view") tell(await viewOf(place()));
    else if (argument === "clear" || argument === "reset") tell(await clearMemories(place()));
    else if (argument === "rebuild" || argument === "enqueue") tell(await requestRebuild(place()));
    else throw usageError(`/memory knows view, clear and rebuild, not "${argument}".`);
    return undefined;
  },
});

async function requestRebuild(place: MemoryPlace): Promise<string> {
  new MemoryWork(await place.store(), place.project).requestRebuild();
  return "The notes will be summarized again when Lathe next starts at a terminal with memories.enabled. To do it now: lathe memory rebuild";
}

/** The hint as it would be sent, then the notes that are left out of it. */
export async function viewOf(place: MemoryPlace): Promise<string> {
  const { text, stale } = await place.hint();
  const lines = stale.map(({ text: what, changed }) => `  ${what} (changed: ${changed.join(", ")})`);
  const left = lines.length === 0 ? [] : [`${countOf(lines.length, "stale note")}, not sent:`, ...lines];
  return [text === "" ? "There are no notes for a new session in this project yet." : text, ...left].join("\n");
}
