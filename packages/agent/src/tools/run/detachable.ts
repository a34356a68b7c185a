// Runs a command that a call waits for, until it ends, its time is up, the call is aborted, the user sends it to the
// background, or it goes there by itself because it takes long.

import type { ToolContext } from "../../contract/tool.ts";
import type { BackgroundCommand, ExecOptions, ExecResult } from "../../world/env/types.ts";
import type { RunningCommands } from "./running-commands.ts";

/** The command still runs, but no call waits for it any more. */
export interface Detached {
  readonly handle: BackgroundCommand;
  readonly why: "user" | "long";
}

/** How to start a command and wait for it. */
export interface DetachableRequest {
  readonly timeoutMs: number;
  /** The call waits no longer than this; 0 means until the end. */
  readonly afterMs: number;
  readonly options: ExecOptions;
  readonly running: RunningCommands | undefined;
  start(command: string, options: ExecOptions): BackgroundCommand;
}

/** Starts a command and waits for it as long as the call does. */
export async function runDetachable(
  command: string,
  { signal, onOutput }: Pick<ToolContext, "signal" | "onOutput">,
  { timeoutMs, afterMs, options, running, start }: DetachableRequest,
): Promise<ExecResult | Detached> {
  let isWaiting = true;
  let why: "timeout" | "abort" | undefined;
  const { signal: _, ...withoutSignal } = options;
  const handle = start(command, {
    ...withoutSignal,
    onOutput: (chunk, stream) => {
      if (isWaiting) onOutput?.(chunk, stream);
    },
  });
  const stopFor = (reason: "timeout" | "abort"): void => {
    why ??= reason;
    void handle.stop();
  };
  const onAbort = (): void => stopFor("abort");
  const timer = timeoutMs > 0 ? setTimeout(() => stopFor("timeout"), timeoutMs) : undefined;
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  let remove = (): void => {};
  let patience: NodeJS.Timeout | undefined;
  const detached = new Promise<Detached>((resolve) => {
    if (running) remove = running.add({ command, detach: () => resolve({ handle, why: "user" }) });
    if (afterMs > 0) patience = setTimeout(() => resolve({ handle, why: "long" }), afterMs);
  });
  try {
    const result = await Promise.race([handle.done, detached]);
    if ("handle" in result) return result;
    return { ...result, timedOut: why === "timeout", aborted: why === "abort" };
  } finally {
    isWaiting = false;
    clearTimeout(timer);
    clearTimeout(patience);
    signal.removeEventListener("abort", onAbort);
    remove();
  }
}
