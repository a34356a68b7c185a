// Limits of one input of a child: how long it may take and how many requests it may make.

import type { SessionDeps } from "../../base/time/deadline.ts";
import type { SessionEvent } from "../../contract/events/types.ts";
import type { Child } from "./child.ts";
import type { AgentLimits } from "./types.ts";

/** Starts the clock. The returned function stops it. */
export function limitTime(deps: SessionDeps, child: Child, { runMs = 0 }: AgentLimits): () => void {
  if (runMs <= 0) return () => {};
  const timer = deps.setTimer(() => stop(child, `it did not finish within ${runMs} ms`), runMs);
  return () => timer.cancel();
}

/** Called with each event of the child. */
export function limitRequests(child: Child, event: Pick<SessionEvent, "kind">, { requests = 0 }: AgentLimits): void {
  const { run } = child;
  if (event.kind !== "turn_start" || !run) return;
  run.requests += 1;
  if (requests <= 0) return;
  if (run.requests === requests + 1)
    child.session?.steer(
      `You have made ${requests} requests, which is what this assignment was meant to take. Finish now with what you have.`,
      { kind: "host" },
    );
  if (run.requests > 2 * requests) stop(child, `it made ${2 * requests} requests without finishing`);
}

/** Stops the current input. */
export function stop(child: Child, why: string): void {
  if (!child.run) return;
  child.run.stopped ??= why;
  child.run.controller.abort(new Error(why));
  void child.session?.interrupt();
}
