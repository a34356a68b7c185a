// Memory as an addition to sessions. Where it is off, only `/memory` is there, to say so.

import type { AdditionMaker } from "../../conversation/session-contract.ts";
import { memoryCommand } from "./command.ts";
import { isMemoryOn, type MemoryChoices } from "./switches.ts";
import { MEMORY_IS_OFF } from "./words.ts";

export const memoryAddition =
  (choices: MemoryChoices): AdditionMaker =>
  async (workspace, request) => {
    // A recording could not be replayed: it does not hold the memories.
    if (request.tape || !isMemoryOn(workspace.settings))
      return { name: "memory", commands: async () => [memoryCommand(MEMORY_IS_OFF)] };
    return (await import("./memory-on.ts")).memoryOn(workspace, request, choices);
  };
