// RPC over stdio: one JSON object per line in both directions. This file has the process side: start, end of input,
// signals, exit.

import type { Writable } from "node:stream";
import type { RequestFor } from "../../conversation/next-session.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { onReaderGone } from "../../platform/machine/reader-gone.ts";
import { ENDING_SIGNALS } from "../../platform/machine/signals.ts";
import type { ParsedArgs } from "../../platform/options/parse.ts";
import { EXIT, type ExitCode, usageError } from "../../platform/usage/exit.ts";
import { journalFor } from "../../sessions/which-journal.ts";
import { type Line, linesOf } from "../wire/lines.ts";
import { LineWriter } from "../wire/writer.ts";
import { HostTools } from "./host-tools.ts";
import { HostUris } from "./host-uris.ts";
import { ModelList } from "./models.ts";
import { HostPerson } from "./person.ts";
import { RpcServer } from "./server.ts";
import { RpcSession } from "./session.ts";
import { RpcUnattended } from "./unattended.ts";

/** After the host has gone, work in progress gets this long to end; its processes are killed in any case. */
const LEAVE_WITHIN_MS = 1500;
/** Git lists the changes, which takes seconds on a busy machine. */
const LEAVE_VIEW_WITHIN_MS = 10_000;
/** A dialog may wait for a user at lunch, but not for a host that never shows it. */
const DIALOG_TIMEOUT_MS = 30 * 60_000;

export async function rpcMode(
  workspace: SessionWorkspace,
  { options, words }: ParsedArgs,
  requestFor: RequestFor,
  openAt: (cwd: string) => Promise<SessionWorkspace>,
): Promise<ExitCode> {
  const { machine } = workspace;
  const { stdin, stdout, stderr } = machine;
  const extra = words[0] ?? options.print?.[0];
  if (extra !== undefined) throw usageError(`--mode rpc takes its prompts from stdin. Leave out: ${extra}`);

  const writer = new LineWriter(stdout);
  const send = (frame: object): void => writer.write(frame);
  const person = new HostPerson({ newId: counter("ui"), send, timeoutMs: dialogTimeout(machine.env) });
  const hostTools = new HostTools(counter("host_tool"), send);
  const hostUris = new HostUris(counter("host_uri"), send);
  const { view } = workspace;
  const workspaceAt = view ? undefined : openAt;
  const parts = { workspace, requestFor, workspaceAt, writer, person, hostTools, hostUris };
  const current = await RpcSession.start(parts, journalFor(workspace, options));
  const models = new ModelList(() => current.conversation.workspace, options.models);
  const unattended = new RpcUnattended(current, machine.deps);
  const server = new RpcServer({ current, models, hostTools, hostUris, unattended }, person, writer);
  if (options.unattended !== undefined) await unattended.readFile(machine, options.unattended);
  if (view)
    view.onSettled = ({ how: _how, message: _message, ...settled }) =>
      current.emit({ type: "lathe:worktree", id: view.id, ...settled });

  const leave = async (code: ExitCode): Promise<ExitCode> => {
    unattended.close();
    for (const side of [person, hostTools, hostUris]) side.hostGone();
    const late = new Promise((resolve) => setTimeout(resolve, LEAVE_WITHIN_MS));
    await Promise.race([current.conversation.close().then(() => writer.flush()), late]);
    if (view) {
      // The view is kept in any case; the deadline is only for the line about it.
      const unsure = `The changes are kept in the isolated copy ${view.id}.`;
      const longer = new Promise<string>((resolve) => setTimeout(() => resolve(unsure), LEAVE_VIEW_WITHIN_MS));
      const kept = await Promise.race([view.leave(), longer]);
      if (kept !== undefined) stderr.write(`lathe: ${kept} Continue with: ${view.toContinue}\n`);
    }
    // Work in progress or a reader of stdin must not keep the process alive.
    machine.exit?.(code);
    return code;
  };
  person.conversation = () => current.conversation;
  const asked = askedToLeave(person, stdout, () => current.conversation.settled());

  writer.write({ type: "ready" });
  const inputEnded = readLines(stdin, (line) => server.line(line)).then((): ExitCode => EXIT.done);
  const code = await Promise.race([inputEnded, asked.code]);
  return leave(code).finally(asked.stopListening);
}

/** A server with several clients passes 0: its clients come and go, and a question waits for the next one. */
function dialogTimeout({ LATHE_RPC_DIALOG_TIMEOUT: ms }: Readonly<Record<string, string | undefined>>): number {
  return ms !== undefined && /^\d+$/.test(ms) ? Number(ms) : DIALOG_TIMEOUT_MS;
}

/**
 * What ends the run before its input does: a signal, a host that stops reading, or an extension that shuts the agent
 * down.
 */
function askedToLeave(person: HostPerson, stdout: Writable, settled: () => Promise<void>) {
  let resolve: (code: ExitCode) => void = () => {};
  const code = new Promise<ExitCode>((take) => {
    resolve = take;
  });
  const onSignal = (): void => resolve(EXIT.interrupted);
  person.shutdown = () => void settled().then(() => resolve(EXIT.done));
  onReaderGone(stdout, onSignal);
  for (const signal of ENDING_SIGNALS) process.once(signal, onSignal);
  const stopListening = (): void => {
    for (const signal of ENDING_SIGNALS) process.off(signal, onSignal);
  };
  return { code, stopListening };
}

async function readLines(input: AsyncIterable<Uint8Array>, take: (line: Line) => void): Promise<void> {
  for await (const line of linesOf(input)) take(line);
}

function counter(prefix: string): () => string {
  let n = 0;
  return () => `${prefix}_${++n}`;
}
