// State of a debugger as lines for the model.

import { posix } from "node:path";
import type { DebugAnswer } from "@lathe/agent/tools";
import type { DebugProtocol } from "@vscode/debugprotocol";
import type { DebugSession } from "./debug-session.ts";

const LONGEST_LINE = 200;
const MOST_OUTPUT = 4000;

/** A path as the session writes paths: relative to its folder, or absolute if outside it. */
export function shortPath(path: string, top: string): string {
  const relative = posix.relative(top, path);
  return relative.startsWith("..") ? path : relative;
}

export function frameLine({ name, source, line }: DebugProtocol.StackFrame, top: string): string {
  const place = source?.path === undefined ? (source?.name ?? "no source") : shortPath(source.path, top);
  return `${name} at ${place}${line > 0 ? `:${line}` : ""}`;
}

export function breakpointLine(place: string, set: DebugProtocol.Breakpoint | undefined): string {
  const { verified = true, line, message } = set ?? {};
  const moved = line !== undefined && !place.endsWith(`:${line}`) ? ` (the code is at line ${line})` : "";
  return `${place}${moved}${verified ? "" : `, not active yet${message ? `: ${message}` : ""}`}`;
}

export function variableLine({
  name,
  value,
  type,
  variablesReference,
  memoryReference,
}: DebugProtocol.Variable): string {
  const notes = [
    type && !value.includes(type) ? type : "",
    variablesReference > 0 ? `variable_ref ${variablesReference}` : "",
    memoryReference ? `memory_reference ${memoryReference}` : "",
  ].filter((note) => note !== "");
  return `${name} = ${oneLine(value)}${notes.length > 0 ? `  (${notes.join(", ")})` : ""}`;
}

export const oneLine = (text: string, most = LONGEST_LINE): string => {
  const line = text.replace(/\s*\n\s*/g, " ");
  return line.length > most ? `${line.slice(0, most)}…` : line;
};

/**
 * Describes where a program is and what it has printed since the last answer. `mayShow` decides whether the text of a
 * file may be shown.
 */
export async function describeState(
  session: DebugSession,
  { timedOutMs, mayShow }: { readonly timedOutMs?: number | undefined; readonly mayShow: (path: string) => boolean },
): Promise<DebugAnswer> {
  const { id, state, name } = session;
  const lines: string[] = [];
  if (state === "stopped") {
    session.reportedStop = session.stop;
    const { reason, text } = session.stop ?? { reason: "stopped" };
    lines.push(`${id} (${name}) has stopped: ${reason}${text && text !== reason ? `, ${oneLine(text)}` : ""}`);
    const frame = await session.topFrame();
    if (frame)
      lines.push(frameLine(frame, session.env.workingDirectory()), ...(await sourceLine(frame, session, mayShow)));
  } else if (state === "ended") lines.push(`${id} (${name}) has ended: ${session.endReason}`);
  else
    lines.push(
      timedOutMs === undefined
        ? `${id} (${name}) is running.`
        : `${id} (${name}) is running: it did not stop within ${timedOutMs / 1000} s. Call \`continue\` to wait longer, or \`pause\`.`,
    );
  const isLate = state === "running" && timedOutMs !== undefined;
  return {
    text: [...lines, ...newOutput(session)].join("\n"),
    details: { session: id, state, ...(isLate ? { timedOut: true } : {}) },
  };
}

async function sourceLine(
  { source, line }: DebugProtocol.StackFrame,
  { env }: DebugSession,
  mayShow: (path: string) => boolean,
): Promise<string[]> {
  const path = source?.path;
  if (path === undefined || line < 1 || !mayShow(path) || !(await env.fileExists(path))) return [];
  const text = await env.readFile(path, line, 1);
  return [`${line} | ${oneLine(text.trimEnd())}`];
}

/** Output since the last answer. */
export function newOutput(session: DebugSession): string[] {
  const { text, next } = session.output.read(session.shownOutput);
  session.shownOutput = next;
  const shown = text.length > MOST_OUTPUT ? `…${text.slice(-MOST_OUTPUT)}` : text;
  return shown.trim() === "" ? [] : ["", "Output:", shown.trimEnd()];
}
