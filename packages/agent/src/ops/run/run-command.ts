// Runs one command to its end for the shell faces: which time it gets, where too much output goes, what the outcome is.

import type { ExecResult } from "../../env/types.ts";
import { type ArtifactRef, type ArtifactWriter, type ToolContext, ToolFailure } from "../../tools/types.ts";

declare module "../../tools/types.ts" {
  interface ToolServices {
    /** Times of commands: what one gets that asks for none, and the most any may have. */
    readonly commandTimes?: { readonly defaultMs: number; readonly maxMs: number };
  }
}

const FALLBACK_TIMES = { defaultMs: 10_000, maxMs: 600_000 };

export interface CommandOutcome extends ExecResult {
  readonly timeoutMs: number;
  readonly artifact?: ArtifactRef;
}

export async function runCommand(
  command: string,
  context: ToolContext,
  options: { timeoutMs?: number | undefined; name: string },
): Promise<CommandOutcome> {
  if (command.trim() === "") throw new ToolFailure("The command is empty. Give a shell command to run.");
  const times = context.services.commandTimes ?? FALLBACK_TIMES;
  const timeoutMs = Math.min(options.timeoutMs ?? times.defaultMs, times.maxMs);
  const spill = lazyArtifact(context, options.name);
  const result = await context.env.execCommand(command, timeoutMs, {
    signal: context.signal,
    onOutput: context.onOutput,
    spill,
  });
  const artifact = await spill.close();
  return { ...result, timeoutMs, ...(artifact ? { artifact } : {}) };
}

/** Opens the artifact with the first byte that does not fit in memory; most commands never do. */
function lazyArtifact(
  context: ToolContext,
  name: string,
): { write(chunk: Uint8Array): void; close(): Promise<ArtifactRef | undefined> } {
  let writer: ArtifactWriter | undefined;
  return {
    write: (chunk) => {
      writer ??= context.openArtifact(name);
      writer.write(chunk);
    },
    close: async () => writer?.close(),
  };
}
