// Memory as an addition to sessions. If it is off, only `/memory` exists, to say so.

import type { AdditionMaker } from "../../conversation/session-contract.ts";
import { memoryCommand } from "./command.ts";
import { isMemoryOn, type MemoryChoices } from "./switches.ts";
import { MEMORY_IS_OFF } from "./words.ts";

export const memoryAddition =
  (choices: MemoryChoices): AdditionMaker =>
  async (workspace, request) => {
    // Recordings do not hold memories, so a recorded run could not be replayed.
    if (request.tape || !isMemoryOn(workspace.settings))
      return { name: "memory", commands: async () => [memoryCommand(MEMORY_IS_OFF)] };
    return (await import("./memory-on.ts")).memoryOn(workspace, request, choices);
  };
