// The process side of the Agent Client Protocol over stdio: start, end of input, signals, exit. Only the protocol
// writes to stdout.

import { Readable, Writable } from "node:stream";
import { type AgentContext, MessageTooLargeError, ndJsonStream } from "@agentclientprotocol/sdk/unstable";
import type { Machine } from "../../platform/machine/machine.ts";
import { listenForStop } from "../../platform/machine/signals.ts";
import type { CliOptions } from "../../platform/options/option-table.ts";
import type { ParsedArgs } from "../../platform/options/parse.ts";
import { EXIT, type ExitCode, usageError } from "../../platform/usage/exit.ts";
import { acpAgent } from "./agent.ts";
import { withClearErrors } from "./clear-errors.ts";

/** When the editor has gone, running work gets this long to end; its processes are killed in any case. */
const LEAVE_WITHIN_MS = 1500;

/** Options that the editor chooses per session, or that concern a single prompt. */
const MISPLACED = [
  "continue",
  "cwd",
  "export",
  "fork",
  "list-models",
  "no-session",
  "output-schema",
  "print",
  "record",
  "resume",
  "run-id",
  "session",
  "worktree",
] as const satisfies readonly (keyof CliOptions)[];

export async function acpMode(machine: Machine, { options, words }: ParsedArgs): Promise<ExitCode> {
  const misplaced = MISPLACED.find((name) => options[name] !== undefined);
  if (misplaced)
    throw usageError(`lathe acp takes no --${misplaced}: the editor chooses folders, sessions and prompts.`);
  if (words[0] !== undefined) throw usageError(`lathe acp takes its prompts from an editor. Leave out: ${words[0]}`);
  const { stdin, stdout, stderr } = machine;
  let client: AgentContext | undefined;
  const { app, close } = acpAgent({
    // Whatever a session would print goes to stderr.
    machine: { ...machine, stdout: stderr, terminal: stderr },
    options,
    client: () => {
      if (!client) throw new Error("There is no connection.");
      return client;
    },
  });
  const asked = listenForStop(stdout);
  const stream = ndJsonStream(
    Writable.toWeb(stdout) as WritableStream<Uint8Array>,
    Readable.toWeb(stdin) as ReadableStream<Uint8Array>,
  );
  const connection = app.connect(withClearErrors(stream));
  client = connection.client;
  const whenClosed = (): ExitCode => {
    if (!(connection.signal.reason instanceof MessageTooLargeError)) return EXIT.done;
    stderr.write("lathe: A message from the editor was too large, so the connection was closed. Sessions are kept.\n");
    return EXIT.failed;
  };
  const ended = connection.closed.then(whenClosed, whenClosed);
  const code = await Promise.race([ended, asked.code]);
  const late = new Promise((resolve) => setTimeout(resolve, LEAVE_WITHIN_MS));
  await Promise.race([close(), late]).finally(asked.stopListening);
  // Work that is still running, or a pending read of stdin, must not keep the process alive.
  machine.exit?.(code);
  return code;
}
