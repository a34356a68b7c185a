// At a terminal, makes memories of past sessions in the background: starting shortly after the session, and ending with
// it.

import { messageOf } from "@lathe/llm";
import type { OpenSession } from "../../conversation/session-contract.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { PRACTICE_PROVIDER } from "../../models/practice/name.ts";
import { askModel } from "./ask-model.ts";
import { madeLine, makeMemories } from "./make-memories.ts";
import type { MemoryPlace } from "./memory-place.ts";

/** By then, the user has the screen, and the first request is on its way. */
const DELAY_MS = 1_000;

export function learn(workspace: SessionWorkspace, open: OpenSession, place: MemoryPlace): { end(): Promise<void> } {
  const stop = new AbortController();
  if (open.model.provider === PRACTICE_PROVIDER) return { end: async () => {} };
  const begun = new Promise<void>((resolve) => {
    const timer = workspace.machine.deps.setTimer(resolve, DELAY_MS);
    stop.signal.addEventListener("abort", () => {
      timer.cancel();
      resolve();
    });
  });
  const tell = (line: string): void => open.session.warn(line, "memory");
  const ended = begun.then(async () => {
    if (stop.signal.aborted) return;
    try {
      const ask = askModel(open, stop.signal);
      const made = await makeMemories({ workspace, place, ask, signal: stop.signal, isWanted: false });
      const line = made && madeLine(made);
      if (line !== undefined) tell(line);
    } catch (error) {
      if (!stop.signal.aborted) tell(`Memory: ${messageOf(error)}`);
    }
  });
  return {
    end: async () => {
      stop.abort();
      await ended;
    },
  };
}
