// Our debug adapter for Node: it answers the protocol's requests through Node's inspector. It runs in our process; the
// program and its port are where commands run.

import { ToolFailure } from "@lathe/agent";
import type { ExecutionEnvironment, TwoWayProcess } from "@lathe/agent/world";
import { isJsonObject, type JsonObject, messageOf } from "@lathe/llm";
import type { DebugProtocol } from "@vscode/debugprotocol";
import type { AdapterHandlers, AdapterLink, RequestOptions } from "./adapter-link.ts";
import { Inspector } from "./inspector.ts";
import { NodeScripts } from "./node-scripts.ts";
import { describeValue, objects, resultOf } from "./node-values.ts";

const THREAD = 1;
const START_MS = 10_000;
/** Node's own output about its inspector. */
const OWN_LINES =
  /^(?:Debugger listening on .*|For help, see: .*|Debugger attached\.|Waiting for the debugger to disconnect\.\.\.|Debugger ending on .*)\n?/gm;
const LISTENING = /Debugger listening on ws:\/\/[^/]*:(\d+)(\/\S+)/;

const CAPABILITIES = {
  supportsConfigurationDoneRequest: true,
  supportsConditionalBreakpoints: true,
  supportsHitConditionalBreakpoints: true,
  supportsLogPoints: true,
  supportsLoadedSourcesRequest: true,
  supportsTerminateRequest: true,
  exceptionBreakpointFilters: [{ filter: "uncaught", label: "Uncaught exceptions", default: true }],
} satisfies DebugProtocol.Capabilities;

/** Maps steps of the protocol to methods of the inspector. */
const STEPS: Readonly<Record<string, string>> = {
  continue: "Debugger.resume",
  next: "Debugger.stepOver",
  stepIn: "Debugger.stepInto",
  stepOut: "Debugger.stepOut",
};

export class NodeAdapter implements AdapterLink {
  readonly ended: Promise<string>;
  readonly #program: string;
  readonly #env: ExecutionEnvironment;
  readonly #handlers: AdapterHandlers;
  readonly #scripts: NodeScripts;
  /** Objects whose variables can be requested until the program continues. */
  readonly #handles: string[] = [];
  #inspector: Inspector | undefined;
  #process: TwoWayProcess | undefined;
  #frames: readonly JsonObject[] = [];
  #stopsAtEntry = false;
  #hasBegun = false;
  #lastStep = "pause";
  #resolveEnded: (why: string) => void = () => {};

  constructor(program: string, env: ExecutionEnvironment, handlers: AdapterHandlers) {
    this.#program = program;
    this.#env = env;
    this.#handlers = handlers;
    this.#scripts = new NodeScripts(env, () => this.#connected);
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  async request(command: string, args: object = {}, { signal }: RequestOptions = {}): Promise<JsonObject> {
    signal?.throwIfAborted();
    return (await this.#answer(command, args as JsonObject)) as JsonObject;
  }

  async stop(): Promise<void> {
    this.#inspector?.close();
    await this.#process?.stop(0);
    this.#resolveEnded("it was stopped");
  }

  // ---- internals ----

  get #connected(): Inspector {
    if (this.#inspector === undefined) throw new ToolFailure("The program is not running.");
    return this.#inspector;
  }

  async #answer(command: string, args: JsonObject): Promise<object> {
    const step = STEPS[command];
    if (step !== undefined) return this.#go(command, step);
    switch (command) {
      case "initialize":
        return CAPABILITIES;
      case "launch":
        return this.#launch(args);
      case "attach":
        return this.#attach(Number(args["port"]));
      case "configurationDone":
        return this.#connected.send("Runtime.runIfWaitingForDebugger");
      case "setBreakpoints":
        return this.#setBreakpoints(args as unknown as DebugProtocol.SetBreakpointsArguments);
      case "setExceptionBreakpoints": {
        const state = (args["filters"] as readonly string[]).includes("uncaught") ? "uncaught" : "none";
        return this.#connected.send("Debugger.setPauseOnExceptions", { state });
      }
      case "threads":
        return { threads: [{ id: THREAD, name: "main" }] };
      case "stackTrace":
        return this.#stackTrace(args);
      case "scopes":
        return this.#scopes(Number(args["frameId"]));
      case "variables":
        return this.#variables(Number(args["variablesReference"]));
      case "evaluate":
        return this.#evaluate(String(args["expression"]), args["frameId"]);
      case "pause":
        this.#lastStep = "pause";
        return this.#connected.send("Debugger.pause");
      case "loadedSources":
        return { sources: this.#scripts.paths.map((path) => ({ path })) };
      case "terminate":
      case "disconnect":
        await this.stop();
        return {};
      default:
        throw new ToolFailure(`Node's inspector has no ${command}.`);
    }
  }

  async #launch({ program, args, cwd, runtimeArgs, env, stopOnEntry }: JsonObject): Promise<object> {
    const start = this.#env.startProcess;
    if (start === undefined) throw new ToolFailure("Programs cannot be started here.");
    this.#stopsAtEntry = stopOnEntry === true;
    let said = "";
    let noteListening = (_said: RegExpExecArray): void => {};
    const isListening = new Promise<RegExpExecArray>((resolve) => {
      noteListening = resolve;
    });
    const node = await this.#env.startProcess!(
      [this.#program, "--inspect-brk=127.0.0.1:0", ...strings(runtimeArgs), String(program), ...strings(args)],
      {
        cwd: String(cwd),
        ...(isJsonObject(env) ? { env: env as Record<string, string> } : {}),
        onStderr: (text) => {
          if (this.#inspector === undefined && said.length < 1 << 16) said += text;
          const found = LISTENING.exec(said);
          if (found) noteListening(found);
          this.#handlers.output(text.replace(OWN_LINES, ""));
        },
      },
    );
    this.#process = node;
    // The program reads an end of file instead of waiting for input.
    void node.endInput();
    void this.#followProcess(node);
    const late = new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), START_MS).unref());
    const found = await Promise.race([isListening, node.exited.then(() => undefined), late]);
    if (!found) throw new ToolFailure(`Node did not start: ${said.trim().split("\n").at(-1) || "it said nothing"}`);
    await this.#connect(Number(found[1]), found[2] ?? "/");
    return {};
  }

  async #attach(port: number): Promise<object> {
    const stream = await this.#env.connect(port);
    stream.write(`GET /json/list HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`);
    let answer = "";
    for await (const chunk of stream) {
      answer += String(chunk);
      if (answer.length > 1 << 20 || /"webSocketDebuggerUrl": "[^"]*"/.test(answer)) break;
    }
    stream.destroy();
    const [, path] = /"webSocketDebuggerUrl": "ws:\/\/[^/"]*(\/[^"]*)"/.exec(answer) ?? [];
    if (path === undefined) throw new ToolFailure(`No Node program listens for a debugger on port ${port}.`);
    // A program that waits for a debugger has not begun.
    this.#stopsAtEntry = true;
    await this.#connect(port, path);
    void this.#inspector?.ended.then(() => this.#end("the connection ended"));
    return {};
  }

  async #connect(port: number, path: string): Promise<void> {
    this.#inspector = await Inspector.open(this.#env, { port, path }, (method, params) =>
      this.#onEvent(method, params),
    );
    await this.#inspector.send("Runtime.enable");
    await this.#inspector.send("NodeRuntime.notifyWhenWaitingForDisconnect", { enabled: true });
    await this.#inspector.send("Debugger.enable");
    await this.#inspector.send("Debugger.setInstrumentationBreakpoint", {
      instrumentation: "beforeScriptWithSourceMapExecution",
    });
    this.#handlers.event("initialized", {});
  }

  async #followProcess(node: TwoWayProcess): Promise<void> {
    const text = new TextDecoder();
    for await (const bytes of node.stdout) this.#handlers.output(text.decode(bytes, { stream: true }));
    const { exitCode, signal } = await node.exited;
    this.#handlers.event("exited", { exitCode, ...(signal === undefined ? {} : { signal }) });
    this.#end("it exited");
  }

  #end(why: string): void {
    this.#handlers.event("terminated", {});
    this.#resolveEnded(why);
  }

  #onEvent(method: string, params: JsonObject): void {
    if (method === "Debugger.scriptParsed") this.#scripts.add(params);
    // After the program's last line, Node waits for us to disconnect.
    if (method === "NodeRuntime.waitingForDisconnect") this.#inspector?.close();
    if (method === "Debugger.paused")
      this.#handlePause(params).catch((error) => this.#handlers.output(`${messageOf(error)}\n`));
  }

  async #handlePause({ reason, data, callFrames, hitBreakpoints }: JsonObject): Promise<void> {
    const aux = isJsonObject(data) ? data : {};
    const reasons = reason === "ambiguous" ? objects(aux["reasons"]) : [{ reason: reason ?? "", auxData: aux }];
    this.#frames = objects(callFrames);
    for (const { reason: why, auxData } of reasons)
      if (why === "instrumentation" && isJsonObject(auxData))
        await this.#scripts.beginScript(String(auxData["scriptId"]));
    const others = reasons.filter(({ reason: why }) => why !== "instrumentation");
    const isStart = others.some(({ reason: why }) => why === "Break on start");
    if (isStart && !this.#hasBegun) {
      this.#hasBegun = true;
      // Processes that the program starts with `fork` would wait for a debugger of their own.
      const expression =
        "process.execArgv.splice(0, process.execArgv.length, ...process.execArgv.filter((a) => !a.startsWith('--inspect')))";
      await this.#connected.send("Runtime.evaluate", { expression });
      if (this.#stopsAtEntry) return this.#reportStop("entry");
    }
    const hits = strings(hitBreakpoints);
    if (hits.length > 0) return (await this.#countsHit(hits)) ? this.#reportStop("breakpoint") : this.#resume();
    const thrown = others.find(({ reason: why }) => why === "exception" || why === "promiseRejection");
    if (thrown)
      return this.#reportStop(
        "exception",
        firstLine(describeValue(isJsonObject(thrown.auxData) ? thrown.auxData : {})),
      );
    if (isStart || others.length === 0) return this.#resume();
    this.#reportStop(this.#lastStep === "pause" ? "pause" : "step");
  }

  /** Whether one of these breakpoints stops the program; false if each one only logs or has not reached its count. */
  async #countsHit(ids: readonly string[]): Promise<boolean> {
    let stops = false;
    for (const id of ids) {
      const breakpoint = this.#scripts.breakpoint(id);
      if (breakpoint === undefined) continue;
      breakpoint.hits += 1;
      const { hitCondition, logMessage } = breakpoint.asked;
      if (hitCondition !== undefined && !isHit(hitCondition, breakpoint.hits)) continue;
      if (logMessage === undefined) stops = true;
      else this.#handlers.output(`${await this.#fill(logMessage)}\n`);
    }
    return stops;
  }

  async #fill(message: string): Promise<string> {
    const parts = message.split(/\{([^{}]+)\}/);
    const filled = parts.map(async (part, at) => {
      if (at % 2 === 0) return part;
      return this.#evaluate(part, this.#frameId(0)).then(({ result }) => result, messageOf);
    });
    return (await Promise.all(filled)).join("");
  }

  async #go(command: string, method: string): Promise<object> {
    this.#lastStep = command;
    this.#forgetStop();
    await this.#connected.send(method);
    return {};
  }

  async #resume(): Promise<void> {
    this.#forgetStop();
    await this.#connected.send("Debugger.resume");
  }

  #forgetStop(): void {
    this.#frames = [];
    this.#handles.length = 0;
  }

  #reportStop(reason: string, text?: string): void {
    const body = { reason, threadId: THREAD, allThreadsStopped: true };
    this.#handlers.event("stopped", text === undefined ? body : { ...body, text });
  }

  async #setBreakpoints({ source, breakpoints = [] }: DebugProtocol.SetBreakpointsArguments): Promise<object> {
    return { breakpoints: await this.#scripts.setBreakpoints(source.path ?? "", breakpoints) };
  }

  readonly #frameId = (index: number): number => index + 1;

  async #stackTrace({ startFrame, levels }: JsonObject): Promise<object> {
    const first = Number(startFrame ?? 0);
    const asked = this.#frames.slice(first, first + (Number(levels ?? 0) || this.#frames.length));
    const stackFrames = asked.map(async ({ functionName, location }, at) => {
      const { scriptId, lineNumber, columnNumber } = location as JsonObject;
      const place = { line: Number(lineNumber), column: Number(columnNumber ?? 0) };
      const found = await this.#scripts.originalPlace(String(scriptId), place);
      const { line, column } = found?.at ?? place;
      const source = found ? { path: found.path } : { name: this.#scripts.urlOf(String(scriptId)) };
      const name = String(functionName || "(anonymous)");
      return { id: this.#frameId(first + at), name, source, line: line + 1, column: column + 1 };
    });
    return { stackFrames: await Promise.all(stackFrames), totalFrames: this.#frames.length };
  }

  #frame(id: number): JsonObject {
    const frame = this.#frames[id - 1];
    if (frame === undefined) throw new ToolFailure(`There is no frame ${id}: the program has gone on, or is running.`);
    return frame;
  }

  #scopes(frameId: number): object {
    const scopes = objects(this.#frame(frameId)["scopeChain"]).filter(({ type }) => type !== "global");
    return {
      scopes: scopes.map(({ type, name, object }) => ({
        name: [type, name].filter((word) => word).join(" "),
        variablesReference: this.#handleOf(object),
        expensive: false,
      })),
    };
  }

  async #variables(reference: number): Promise<object> {
    const objectId = this.#handles[reference - 1];
    if (objectId === undefined)
      throw new ToolFailure(`There is no variable_ref ${reference}: the program has gone on.`);
    const answer = await this.#connected.send("Runtime.getProperties", {
      objectId,
      ownProperties: true,
      generatePreview: true,
    });
    const own = objects(answer["result"]).filter(({ enumerable, isOwn }) => enumerable !== false || isOwn !== true);
    return {
      variables: own.map(({ name, value, get }) => ({
        name: String(name),
        value: isJsonObject(value) ? describeValue(value) : isJsonObject(get) ? "(getter)" : "undefined",
        type: isJsonObject(value) ? String(value["className"] ?? value["type"]) : "",
        variablesReference: this.#handleOf(value),
      })),
    };
  }

  async #evaluate(expression: string, frameId: unknown): Promise<{ readonly result: string } & JsonObject> {
    const wanted = { expression, generatePreview: true, silent: true };
    const answer =
      typeof frameId === "number"
        ? await this.#connected.send("Debugger.evaluateOnCallFrame", {
            ...wanted,
            callFrameId: this.#frame(frameId)["callFrameId"],
          })
        : await this.#connected.send("Runtime.evaluate", { ...wanted, replMode: true });
    const value = resultOf(answer);
    return {
      result: describeValue(value),
      type: String(value["className"] ?? value["type"]),
      variablesReference: this.#handleOf(value),
    };
  }

  /** 0 if the value has nothing inside. */
  #handleOf(value: unknown): number {
    const id = isJsonObject(value) ? value["objectId"] : undefined;
    return typeof id === "string" ? this.#handles.push(id) : 0;
  }
}

/** A condition of just `3` means the third hit only. */
function isHit(condition: string, hits: number): boolean {
  const [, sign = "==", digits] = /^\s*(\D*?)\s*(\d+)/.exec(condition) ?? [];
  const wanted = Number(digits);
  if (sign === "%") return hits % wanted === 0;
  return hits === wanted ? sign.includes("=") || sign === "" : sign.startsWith(hits > wanted ? ">" : "<");
}

const firstLine = (text: string): string => text.split("\n")[0] ?? "";

const strings = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
