// The debugged programs of a session and its agents, and the actions on them.

import { ToolFailure } from "@lathe/agent";
import type { DebugAction, DebugAnswer, Debuggers, DebugRequest } from "@lathe/agent/tools";
import { type ExecutionEnvironment, quoteShell } from "@lathe/agent/world";
import { OtherProtocol } from "../lsp/frames.ts";
import type { Launch } from "./adapter-rows.ts";
import { Breakpoints } from "./breakpoints.ts";
import { changeBreakpoints } from "./change-breakpoints.ts";
import { DebugSession } from "./debug-session.ts";
import { describeState, newOutput } from "./describe.ts";
import { adapterFor, type FoundAdapter, rowsForAttach, rowsForLaunch } from "./find-adapter.ts";
import { writeMemory } from "./memory.ts";
import { describeJson, READ_ACTIONS, requireArgument } from "./read-actions.ts";
import { trace } from "./trace.ts";

export interface DebuggersOptions {
  /** Whether programs from the project may run. */
  readonly isTrusted: () => boolean;
  /** Whether the text of this file may be shown. */
  readonly mayShow: (path: string) => boolean;
  readonly now: () => number;
  /** An id that no other run has. */
  readonly newId: () => string;
}

interface Call {
  readonly request: DebugRequest;
  readonly env: ExecutionEnvironment;
  readonly signal: AbortSignal;
}

const FIRST_STOP_MS = 5000;
const ATTACHED_STOP_MS = 1000;
const IDLE_MS = 10 * 60_000;
const SWEEP_MS = 30_000;

const STEPS: Partial<Record<DebugAction, string>> = {
  continue: "continue",
  step_over: "next",
  step_in: "stepIn",
  step_out: "stepOut",
};

export class DebugPrograms implements Debuggers {
  readonly #options: DebuggersOptions;
  readonly #sessions = new Set<DebugSession>();
  #count = 0;
  #sweep: NodeJS.Timeout | undefined;

  constructor(options: DebuggersOptions) {
    this.#options = options;
  }

  async commands(request: DebugRequest, env: ExecutionEnvironment): Promise<readonly string[]> {
    const { action, program, expression, condition, show = [], command, data } = request;
    if (action === "launch" || action === "trace") {
      const launch = this.#launchOf(request, program ?? "");
      const [row] = await rowsForLaunch({ adapter: request.adapter, program: launch.program }, env);
      const run = row === undefined ? launch.program : row.command(launch);
      const more =
        Object.keys(request.arguments ?? {}).length > 0
          ? [`${run} ${quoteShell(JSON.stringify(request.arguments))}`]
          : [];
      return [run, ...more, ...show.map((one) => `${row?.evaluates ?? "eval"} ${quoteShell(one)}`)];
    }
    const row = this.#find(request, env).adapter.row;
    const code = [expression, condition, command && `${command} ${JSON.stringify(request.arguments ?? {})}`, data];
    return code.flatMap((text) => (text ? [`${row.evaluates} ${quoteShell(text)}`] : []));
  }

  async run(request: DebugRequest, env: ExecutionEnvironment, signal: AbortSignal): Promise<DebugAnswer> {
    const call: Call = { request, env, signal };
    switch (request.action) {
      case "launch":
        return this.#launch(call);
      case "attach":
        return this.#attach(call);
      case "trace":
        return this.#trace(call);
      case "sessions":
        return this.#list(env);
      default:
        return this.#act(this.#find(request, env), call);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#sweep);
    await Promise.all([...this.#sessions].map((session) => session.dispose()));
    this.#sessions.clear();
  }

  // ---- internals ----

  async #act(session: DebugSession, { request, signal }: Call): Promise<DebugAnswer> {
    const { action, timeoutMs } = request;
    const options = { signal, timeoutMs };
    const details = { session: session.id, state: session.state };
    const step = STEPS[action];
    if (step !== undefined) return this.#step(session, step, request, signal);
    const look = READ_ACTIONS[action];
    if (look) return { text: await look({ session, request, options }), details };
    switch (action) {
      case "pause":
        if (session.state === "running")
          await session.ask("pause", { threadId: await session.threadId(options) }, options);
        return this.#waitAndDescribe(session, timeoutMs, signal);
      case "output":
        return { text: readOutput(session), details };
      case "terminate": {
        const printed = newOutput(session);
        await session.terminate();
        this.#sessions.delete(session);
        const text = [`${session.id} has ended.`, ...printed].join("\n");
        return { text, details: { session: session.id, state: "ended" } };
      }
      case "write_memory": {
        const { memory_reference: reference, offset = 0, data } = request;
        const bytes = { offset, data: requireArgument(data, action, "data") };
        return {
          text: await writeMemory(session, requireArgument(reference, action, "memory_reference"), bytes, options),
          details,
        };
      }
      case "custom_request": {
        const command = requireArgument(request.command, action, "command");
        return { text: describeJson(await session.ask(command, request.arguments ?? {}, options)), details };
      }
      default:
        return { text: await changeBreakpoints({ session, request, options }), details };
    }
  }

  async #step(
    session: DebugSession,
    command: string,
    request: DebugRequest,
    signal: AbortSignal,
  ): Promise<DebugAnswer> {
    const { timeoutMs } = request;
    if (session.state === "running" && command !== "continue")
      throw new ToolFailure(`${session.id} is running. Call \`pause\` first.`);
    // If the program stopped between two calls, `continue` only waits for that stop, which is reported first.
    const isNews = command === "continue" && session.state === "stopped" && session.stop !== session.reportedStop;
    if (session.state !== "running" && !isNews) {
      const options = { signal, timeoutMs };
      const threadId = request.thread_id ?? (await session.threadId(options));
      await session.go(command, { threadId }, options);
    }
    return this.#waitAndDescribe(session, timeoutMs, signal);
  }

  async #waitAndDescribe(session: DebugSession, timeoutMs: number, signal: AbortSignal): Promise<DebugAnswer> {
    const hasSettled = await session.waitForStop(timeoutMs, signal);
    return describeState(session, { timedOutMs: hasSettled ? undefined : timeoutMs, mayShow: this.#options.mayShow });
  }

  async #launch(call: Call): Promise<DebugAnswer> {
    const { request, env } = call;
    const id = this.#newName(request, env);
    const launch = this.#launchOf(request, requireArgument(request.program, "launch", "program"));
    const adapter = await this.#adapterFor(launch, call);
    const config = { ...adapter.row.launch(launch), ...request.arguments };
    return this.#open(call, id, { request: "launch", adapter, config });
  }

  async #attach(call: Call): Promise<DebugAnswer> {
    const { request, env } = call;
    const { pid, port, file, line } = request;
    if ((pid === undefined) === (port === undefined)) throw new ToolFailure("attach needs pid or port.");
    const id = this.#newName(request, env);
    const adapter = await adapterFor(await rowsForAttach(request, env), env, this.#choiceOf(request));
    if (pid !== undefined && adapter.row.transport === "inspector")
      throw new ToolFailure(
        `Attach to Node by its port: start it with --inspect, or \`kill -USR1 ${pid}\` opens port 9229.`,
      );
    const config = { ...adapter.row.attach({ pid, port }), ...request.arguments };
    // A program that waits for its debugger continues as soon as we attach, so its breakpoint is set first.
    const breakpoints = new Breakpoints();
    if (file !== undefined && line !== undefined) breakpoints.addLine(file, { line });
    try {
      return await this.#open(call, id, { request: "attach", adapter, config, port, breakpoints });
    } catch (error) {
      if (port === undefined || request.adapter !== undefined || !(error instanceof ToolFailure)) throw error;
      // Node's inspector answers messages it does not understand with HTTP.
      if (error.cause instanceof OtherProtocol && error.cause.said.startsWith("HTTP/"))
        return this.#attach({ ...call, request: { ...request, adapter: "node" } });
      throw new ToolFailure(
        `${adapter.row.name} could not attach to port ${port}: ${error.message} If another debugger listens there, name it as \`adapter\`.`,
      );
    }
  }

  async #open(
    { request: { cwd, timeoutMs }, env, signal }: Call,
    id: string,
    start: Pick<Parameters<typeof DebugSession.start>[0], "request" | "adapter" | "config" | "port" | "breakpoints">,
  ): Promise<DebugAnswer> {
    const { now } = this.#options;
    const session = await DebugSession.start({ ...start, id, env, cwd, stopsAtErrors: true, timeoutMs, signal, now });
    for (const other of this.#of(env)) if (other.id === id) this.#sessions.delete(other);
    this.#sessions.add(session);
    this.#sweep ??= setInterval(() => this.#endIdle(), SWEEP_MS).unref();
    // A program that we attach to usually keeps running.
    const firstStopMs = start.request === "launch" ? FIRST_STOP_MS : ATTACHED_STOP_MS;
    const isStopped = await session.waitForStop(firstStopMs, signal);
    // Some adapters report the stop of a new program as a signal.
    if (start.request === "launch" && session.stop?.text?.includes("SIGSTOP"))
      session.stop = { ...session.stop, reason: "entry", text: undefined };
    return describeState(session, {
      mayShow: this.#options.mayShow,
      timedOutMs: isStopped ? undefined : firstStopMs,
    });
  }

  async #trace(call: Call): Promise<DebugAnswer> {
    const { request, env, signal } = call;
    const launch = {
      ...this.#launchOf(request, requireArgument(request.program, "trace", "program")),
      stopOnEntry: false,
    };
    const adapter = await this.#adapterFor(launch, call);
    return trace({ request, launch, adapter, env, signal, now: this.#options.now });
  }

  async #adapterFor({ program }: Launch, { request, env }: Call): Promise<FoundAdapter> {
    if (!program.startsWith("-m ") && (await env.stat(program)) === undefined)
      throw new ToolFailure(`${program} does not exist.`);
    return adapterFor(await rowsForLaunch({ ...request, program }, env), env, this.#choiceOf(request));
  }

  #choiceOf({ adapter }: DebugRequest) {
    return { adapter, isTrusted: this.#options.isTrusted() };
  }

  #list(env: ExecutionEnvironment): DebugAnswer {
    const lines = this.#of(env).map(({ id, name, state, stop, endReason }) =>
      [id, `(${name})`, state, stop?.reason ?? endReason].filter((word) => word).join(" "),
    );
    return { text: lines.join("\n") || "No program is being debugged.", details: {} };
  }

  #launchOf({ args = [], cwd }: DebugRequest, program: string): Launch {
    return { program, args, cwd, stopOnEntry: true, id: this.#options.newId() };
  }

  #of(env: ExecutionEnvironment): readonly DebugSession[] {
    return [...this.#sessions].filter((session) => session.env.identity === env.identity);
  }

  #newName({ name }: DebugRequest, env: ExecutionEnvironment): string {
    const live = this.#of(env).filter(({ state }) => state !== "ended");
    const inTheWay = name === undefined ? live[0] : live.find(({ id }) => id === name);
    if (inTheWay)
      throw new ToolFailure(
        `Debug session ${inTheWay.id} is still active. Terminate it before launching another.${name === undefined ? " Or give the new one a `name`." : ""}`,
      );
    return name ?? `debug-${++this.#count}`;
  }

  #find({ name, action }: DebugRequest, env: ExecutionEnvironment): DebugSession {
    const known = this.#of(env);
    const names = known.map(({ id }) => id).join(", ");
    // For data_breakpoint_info, `name` may also be a variable.
    const named = known.find(({ id }) => id === name);
    if (named) return named;
    if (name !== undefined && action !== "data_breakpoint_info")
      throw new ToolFailure(`There is no debug session ${name}. There are: ${names || "none"}.`);
    const live = known.filter(({ state }) => state !== "ended");
    if (live.length > 1)
      throw new ToolFailure(`Several programs are being debugged; give the \`name\` of one: ${names}.`);
    const only = live[0] ?? known.at(-1);
    if (!only) throw new ToolFailure("No program is being debugged. Call `launch` first.");
    return only;
  }

  #endIdle(): void {
    const now = this.#options.now();
    for (const session of this.#sessions) {
      if (now - session.lastUsed < IDLE_MS) continue;
      this.#sessions.delete(session);
      void session.terminate();
    }
  }
}

function readOutput(session: DebugSession): string {
  const { text, next, missed } = session.output.read(0);
  session.shownOutput = next;
  return `${missed > 0 ? `…(${missed} earlier bytes were dropped)\n` : ""}${text}` || "(no output)";
}
