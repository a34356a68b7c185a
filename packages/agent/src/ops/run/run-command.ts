// Runs one command to its end for the shell faces: which time it gets, where too much output goes, what the outcome is.

import type { ExecResult } from "../../env/types.ts";
import { type ArtifactRef, type ArtifactWriter, type ToolContext, ToolFailure } from "../../tools/types.ts";
import { watchShownFiles } from "./shown-changes.ts";

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
  /** Files shown in this session that are different now. */
  readonly changed: readonly string[];
}

export interface CommandOptions {
  readonly name: string;
  readonly timeoutMs?: number | undefined;
  readonly cwd?: string | undefined;
}

export async function runCommand(
  command: string,
  context: ToolContext,
  options: CommandOptions,
): Promise<CommandOutcome> {
  refuseEmpty(command);
  const times = context.services.commandTimes ?? FALLBACK_TIMES;
  const timeoutMs = Math.min(options.timeoutMs ?? times.defaultMs, times.maxMs);
  const spill = lazyArtifact(context, options.name);
  const changedFiles = await watchShownFiles(context);
  const result = await context.env.execCommand(command, timeoutMs, {
    signal: context.signal,
    onOutput: context.onOutput,
    spill,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  });
  const artifact = await spill.close();
  return { ...result, timeoutMs, changed: await changedFiles(), ...(artifact ? { artifact } : {}) };
}

export function refuseEmpty(command: string): void {
  if (command.trim() === "") throw new ToolFailure("The command is empty. Give a shell command to run.");
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
