// One program under a debugger: its adapter, the handshake, whether it runs or where it has stopped, and what it has
// printed.

import { ToolFailure } from "@lathe/agent";
import { type ExecutionEnvironment, OutputRing } from "@lathe/agent/world";
import { isJsonObject, type JsonObject } from "@lathe/llm";
import type { DebugProtocol } from "@vscode/debugprotocol";
import type { AdapterLink, RequestOptions } from "./adapter-link.ts";
import { Breakpoints } from "./breakpoints.ts";
import type { FoundAdapter } from "./find-adapter.ts";
import { startAdapter } from "./start-adapter.ts";

export type SessionState = "running" | "stopped" | "ended";

export interface Stop {
  readonly reason: string;
  readonly text?: string | undefined;
  readonly threadId: number | undefined;
}

export interface SessionStart {
  readonly id: string;
  readonly adapter: FoundAdapter;
  readonly env: ExecutionEnvironment;
  readonly cwd: string;
  readonly request: "launch" | "attach";
  /** The adapter's arguments for launching or attaching. */
  readonly config: object;
  /** The port, if an adapter already listens there. */
  readonly port?: number | undefined;
  readonly breakpoints?: Breakpoints | undefined;
  /** Whether uncaught errors stop the program. */
  readonly stopsAtErrors: boolean;
  /** Allows a start that takes longer than usual. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly now: () => number;
}

const KEPT_OUTPUT = 128 * 1024;
/** Generous, because Delve compiles the program first. */
const START_MS = 60_000;
const FAREWELL_MS = 2000;
const MOST_SAID = 4000;
/** Some adapters report only the exit code, some only the end, most both. */
const AFTER_EXIT_MS = 1000;

export class DebugSession {
  readonly id: string;
  readonly adapter: FoundAdapter;
  readonly env: ExecutionEnvironment;
  readonly breakpoints: Breakpoints;
  readonly output = new OutputRing(KEPT_OUTPUT);
  readonly isAttached: boolean;
  capabilities: DebugProtocol.Capabilities = {};
  state: SessionState = "running";
  stop: Stop | undefined;
  /** The last stop that an answer described. */
  reportedStop: Stop | undefined;
  exitCode: number | undefined;
  endReason: string | undefined;
  lastUsed: number;
  /** The position in the output up to which answers have shown it. */
  shownOutput = 0;
  readonly #start: SessionStart;
  readonly #listeners = new Set<() => void>();
  #link: AdapterLink | undefined;
  #top: DebugProtocol.StackFrame | undefined;
  #isFinishing = false;
  #noteInitialized: () => void = () => {};
  #onOutput: ((text: string) => void) | undefined;

  private constructor(start: SessionStart) {
    this.id = start.id;
    this.adapter = start.adapter;
    this.env = start.env;
    this.isAttached = start.request === "attach";
    this.breakpoints = start.breakpoints ?? new Breakpoints();
    this.lastUsed = start.now();
    this.#start = start;
  }

  /**
   * Starts a session; if that fails, everything it started is ended. `onOutput` gets the program's output from the
   * first byte on.
   */
  static async start(start: SessionStart, onOutput?: (text: string) => void): Promise<DebugSession> {
    const session = new DebugSession(start);
    session.#onOutput = onOutput;
    try {
      await session.#begin(start);
      return session;
    } catch (error) {
      await session.dispose();
      const said = session.output.read(0).text.trim();
      if (!(error instanceof ToolFailure) || said === "") throw error;
      const failure = new ToolFailure(`${error.message}\n\nOutput:\n${said.slice(-MOST_SAID)}`);
      failure.cause = error.cause;
      throw failure;
    }
  }

  get name(): string {
    return this.adapter.row.name;
  }

  /** Sends a request to the adapter unchanged. */
  async ask<Body = JsonObject>(command: string, args?: object, options?: RequestOptions): Promise<Body> {
    this.lastUsed = this.#start.now();
    if (this.#link === undefined || this.state === "ended")
      throw new ToolFailure(`Debug session ${this.id} has ended: ${this.endReason ?? "it was terminated"}.`);
    return (await this.#link.request(command, args, options)) as Body;
  }

  /** Resumes the program with a command of the protocol, such as `continue` or `next`. */
  async go(command: string, args: object, options: RequestOptions): Promise<void> {
    this.#noteRunning();
    try {
      await this.ask(command, args, options);
    } catch (error) {
      if (this.state === "running") this.#set("stopped");
      throw error;
    }
  }

  /** Waits until the program no longer runs. False if it still runs after `timeoutMs`. */
  async waitForStop(timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    if (this.state !== "running") return true;
    signal.throwIfAborted();
    return new Promise((resolve, reject) => {
      const finish = (end: () => void): void => {
        clearTimeout(timer);
        this.#listeners.delete(checkState);
        signal.removeEventListener("abort", abort);
        end();
      };
      const checkState = (): void => {
        if (this.state !== "running") finish(() => resolve(true));
      };
      const abort = (): void => finish(() => reject(signal.reason));
      const timer = setTimeout(() => finish(() => resolve(false)), timeoutMs);
      this.#listeners.add(checkState);
      signal.addEventListener("abort", abort, { once: true });
    });
  }

  async threadId(options?: RequestOptions): Promise<number> {
    if (this.stop?.threadId !== undefined) return this.stop.threadId;
    const { threads } = await this.ask<{ threads: readonly DebugProtocol.Thread[] }>("threads", undefined, options);
    const [first] = threads;
    if (first === undefined) throw new ToolFailure("The program has no thread.");
    return first.id;
  }

  /** Undefined if the program has not stopped. */
  async topFrame(options?: RequestOptions): Promise<DebugProtocol.StackFrame | undefined> {
    if (this.state !== "stopped") return undefined;
    if (this.#top) return this.#top;
    const args = { threadId: await this.threadId(options), startFrame: 0, levels: 1 };
    try {
      const { stackFrames } = await this.ask<DebugProtocol.StackTraceResponse["body"]>("stackTrace", args, options);
      this.#top = stackFrames[0];
    } catch (error) {
      // Delve reports no frame before the first line of Go.
      if (!(error instanceof ToolFailure)) throw error;
    }
    return this.#top;
  }

  /** Ends the adapter, and the program too unless we attached to it. */
  async terminate(): Promise<void> {
    if (this.state !== "ended") {
      const quick = { timeoutMs: FAREWELL_MS };
      // Errors of these requests do not matter: the adapter is stopped in any case.
      if (!this.isAttached && this.capabilities.supportsTerminateRequest)
        await this.ask("terminate", {}, quick).catch(() => {});
      await this.ask("disconnect", { terminateDebuggee: !this.isAttached }, quick).catch(() => {});
    }
    await this.dispose();
  }

  async dispose(why = "it was terminated"): Promise<void> {
    this.#end(why);
    await this.#link?.stop();
  }

  // ---- internals ----

  async #begin({ request, config, signal, stopsAtErrors, ...start }: SessionStart): Promise<void> {
    const timeoutMs = Math.max(START_MS, start.timeoutMs);
    const initialized = new Promise<void>((resolve) => {
      this.#noteInitialized = resolve;
    });
    const link = await startAdapter(start, {
      event: (name, body) => this.#onEvent(name, body),
      request: (command, args) => this.#onRequest(command, args),
      output: (text) => this.#print(text),
    });
    this.#link = link;
    void link.ended.then((why) => {
      if (!this.#isFinishing) this.#end(why);
    });
    const options = { signal, timeoutMs };
    this.capabilities = await this.ask<DebugProtocol.Capabilities>(
      "initialize",
      initializeArguments(this.name),
      options,
    );
    const answered = this.ask(request, config, options);
    answered.catch(() => {});
    // The answer may come before or after the configuration; a refusal ends the wait.
    await Promise.race([initialized, answered.then(() => initialized), this.#failAfter(timeoutMs)]);
    await this.breakpoints.sendAll(this, options);
    if (this.capabilities.exceptionBreakpointFilters?.length) {
      const chosen = this.capabilities.exceptionBreakpointFilters.filter((one) => stopsAtErrors && one.default);
      await this.ask("setExceptionBreakpoints", { filters: chosen.map(({ filter }) => filter) }, options);
    }
    if (this.capabilities.supportsConfigurationDoneRequest) await this.ask("configurationDone", {}, options);
    await answered;
  }

  async #failAfter(timeoutMs: number): Promise<never> {
    await new Promise((resolve) => setTimeout(resolve, timeoutMs).unref());
    throw new ToolFailure(`The debugger ${this.name} was not ready within ${timeoutMs / 1000} s.`);
  }

  #onEvent(name: string, body: JsonObject): void {
    switch (name) {
      case "initialized":
        this.#noteInitialized();
        return;
      case "stopped": {
        const { reason, description, text, threadId } = body;
        this.stop = {
          reason: String(reason ?? "stopped"),
          text: [text, description].find((said): said is string => typeof said === "string" && said !== ""),
          threadId: typeof threadId === "number" ? threadId : undefined,
        };
        this.#top = undefined;
        this.#set("stopped");
        return;
      }
      case "continued":
        this.#noteRunning();
        return;
      case "output":
        if (body["category"] !== "telemetry") this.#print(String(body["output"] ?? ""));
        return;
      case "capabilities":
        if (isJsonObject(body["capabilities"])) this.capabilities = { ...this.capabilities, ...body["capabilities"] };
        return;
      case "exited":
        this.exitCode = Number(body["exitCode"]);
        setTimeout(() => void this.#finish(), AFTER_EXIT_MS).unref();
        return;
      case "terminated":
        void this.#finish();
        return;
    }
  }

  /**
   * Called when the program has ended: the adapter is no longer needed, and stopping it reads what is still in its
   * pipes.
   */
  async #finish(): Promise<void> {
    if (this.#isFinishing) return;
    this.#isFinishing = true;
    await this.#link?.stop();
    this.#end(`the program exited${this.exitCode === undefined ? "" : ` with code ${this.exitCode}`}`);
  }

  #end(why: string): void {
    if (this.state === "ended") return;
    this.endReason = why;
    this.stop = undefined;
    this.#set("ended");
  }

  #noteRunning(): void {
    if (this.state === "ended") return;
    this.stop = undefined;
    this.#top = undefined;
    this.#set("running");
  }

  #set(state: SessionState): void {
    if (this.state === "ended") return;
    this.state = state;
    for (const listener of [...this.#listeners]) listener();
  }

  #print(text: string): void {
    // Delve reports the exit code only in its text output.
    const [, code] = /^Process \d+ has exited with status (-?\d+)$/m.exec(text) ?? [];
    if (code !== undefined) this.exitCode = Number(code);
    this.output.push(Buffer.from(text));
    this.#onOutput?.(text);
  }

  async #onRequest(command: string, args: JsonObject): Promise<JsonObject> {
    // Child processes are not debugged; they run as if there were no debugger.
    if (command === "startDebugging") return {};
    if (command === "runInTerminal")
      return this.#runInTerminal(args as unknown as DebugProtocol.RunInTerminalRequestArguments);
    throw new Error(`${command} is not offered`);
  }

  async #runInTerminal({ args, cwd, env }: DebugProtocol.RunInTerminalRequestArguments): Promise<JsonObject> {
    if (!this.env.startProcess) throw new Error("programs cannot be started here");
    const set = Object.fromEntries(
      Object.entries(env ?? {}).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
    );
    const program = await this.env.startProcess(["sh", "-c", 'echo $$; exec "$@"', "sh", ...args], { cwd, env: set });
    void this.#link?.ended.then(() => program.stop(0));
    const text = new TextDecoder();
    let noteId = (_id: number): void => {};
    const processId = new Promise<number>((resolve) => {
      noteId = resolve;
    });
    void (async () => {
      let first: string | undefined = "";
      for await (const bytes of program.stdout) {
        const piece = text.decode(bytes, { stream: true });
        if (first === undefined) this.#print(piece);
        else first += piece;
        const end = first?.indexOf("\n") ?? -1;
        if (first === undefined || end < 0) continue;
        noteId(Number(first.slice(0, end)));
        this.#print(first.slice(end + 1));
        first = undefined;
      }
      noteId(0);
    })();
    return { processId: await processId };
  }
}

const initializeArguments = (adapterID: string): DebugProtocol.InitializeRequestArguments => ({
  clientID: "lathe",
  clientName: "Lathe",
  adapterID,
  locale: "en",
  linesStartAt1: true,
  columnsStartAt1: true,
  pathFormat: "path",
  supportsVariableType: true,
  supportsRunInTerminalRequest: true,
  supportsStartDebuggingRequest: true,
  supportsMemoryReferences: true,
});
