// `trace`: runs a program once and records the values of some expressions each time a line is reached. The program
// never waits for the model, no source is changed, and the program ends at its deadline at the latest.

import { ToolFailure } from "@lathe/agent";
import type { DebugAnswer, DebugRequest } from "@lathe/agent/tools";
import type { ExecutionEnvironment } from "@lathe/agent/world";
import { messageOf } from "@lathe/llm";
import type { Launch } from "./adapter-rows.ts";
import { Breakpoints } from "./breakpoints.ts";
import { DebugSession } from "./debug-session.ts";
import { oneLine, shortPath } from "./describe.ts";
import type { FoundAdapter } from "./find-adapter.ts";
import { requireArgument } from "./read-actions.ts";

export interface TraceRun {
  readonly request: DebugRequest;
  readonly launch: Launch;
  readonly adapter: FoundAdapter;
  readonly env: ExecutionEnvironment;
  readonly signal: AbortSignal;
  readonly now: () => number;
}

const DEFAULT_HITS = 20;
const LONGEST_CELL = 120;
const MOST_OUTPUT = 2000;

export async function trace({ request, launch, adapter, env, signal, now }: TraceRun): Promise<DebugAnswer> {
  const { file, line } = requireArgument(request.at, "trace", "at");
  const show = requireArgument(request.show, "trace", "show");
  const { hits = DEFAULT_HITS, timeoutMs } = request;
  const breakpoints = new Breakpoints();
  breakpoints.addLine(file, { line });
  const config = { ...adapter.row.launch(launch), ...request.arguments };
  const session = await DebugSession.start({
    ...{ id: "trace", adapter, env, cwd: launch.cwd, request: "launch", config },
    ...{ breakpoints, stopsAtErrors: false, timeoutMs, signal, now },
  });
  const deadline = now() + timeoutMs;
  try {
    const rows: string[][] = [];
    let end: string | undefined;
    while (end === undefined) {
      const left = deadline - now();
      if (left <= 0 || !(await session.waitForStop(left, signal)))
        end = `the program was ended after ${timeoutMs / 1000} s`;
      else if (session.state === "ended") end = session.endReason;
      else if (!isHit(session.stop?.reason)) end = await describeStop(session);
      else {
        rows.push(await valuesAt(session, show, signal));
        if (rows.length >= hits) end = `the program was ended after ${hits} hits`;
        else await session.go("continue", { threadId: await session.threadId() }, { signal });
      }
    }
    return answerOf({ session, rows, show, end, place: `${shortPath(file, env.workingDirectory())}:${line}` });
  } finally {
    await session.terminate();
  }
}

/** A compiled program that crashes stops too, but with a signal as its reason. */
const isHit = (reason: string | undefined): boolean => reason !== undefined && /breakpoint/.test(reason);

async function describeStop(session: DebugSession): Promise<string> {
  const { reason, text } = session.stop ?? { reason: "stopped", text: undefined };
  const frame = await session.topFrame();
  const where = frame?.source?.path === undefined ? "" : ` at ${frame.source.path}:${frame.line}`;
  return `the program stopped${where}: ${text ?? reason}`;
}

async function valuesAt(session: DebugSession, show: readonly string[], signal: AbortSignal): Promise<string[]> {
  const frameId = (await session.topFrame({ signal }))?.id;
  const values: string[] = [];
  for (const expression of show)
    try {
      const { result } = await session.ask<{ result: string }>(
        "evaluate",
        { expression, frameId, context: "watch" },
        { signal },
      );
      values.push(oneLine(result, LONGEST_CELL));
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error;
      values.push(oneLine(`(${messageOf(error)})`, LONGEST_CELL));
    }
  return values;
}

function answerOf({
  session,
  rows,
  show,
  end,
  place,
}: {
  readonly session: DebugSession;
  readonly rows: readonly (readonly string[])[];
  readonly show: readonly string[];
  readonly end: string | undefined;
  readonly place: string;
}): DebugAnswer {
  const count = `${rows.length} ${rows.length === 1 ? "hit" : "hits"}`;
  const missed = rows.length === 0 ? " The line was not reached, or holds no code." : "";
  const { text } = session.output.read(0);
  const printed = text.trim() === "" ? [] : ["", "Output:", text.slice(-MOST_OUTPUT).trimEnd()];
  return {
    text: [`${place}: ${count}; ${end}.${missed}`, ...(rows.length > 0 ? table(show, rows) : []), ...printed].join(
      "\n",
    ),
    details: { state: `${count}` },
  };
}

function table(show: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const cells = [["hit", ...show], ...rows.map((row, at) => [String(at + 1), ...row])];
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  return cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join(" | ")
      .trimEnd(),
  );
}
