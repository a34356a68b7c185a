// Replays a recorded run without network, tools or clock. The same code gives the same journal, byte for byte; code
// that asks the model something else gets an error that says where it diverged.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  AbortError,
  type ClientDeps,
  type JsonObject,
  type JsonSchema,
  NetworkError,
  type Transport,
  type TransportRequest,
} from "@lathe/llm";
import type { InputContent } from "../../contract/events/types.ts";
import type { ProposedCall } from "../../contract/seams/types.ts";
import { type Access, type DeclaredAccess, ToolFailure, type ToolResult } from "../../contract/tool.ts";
import type { Session } from "../session.ts";
import {
  CallCount,
  callKey,
  fromJson,
  LOG_NAME,
  type LogLine,
  nestedKey,
  type RequestLine,
  type SessionTape,
} from "./log.ts";
import { giveInput, sleepOn } from "./record.ts";
import { differenceOf } from "./request-line.ts";

type Completion = Exclude<LogLine, { t: "now" | "random" | "uuid" | "request" }>;

/** The code asked for something else than during the recording. The message says where. */
export class ReplayDivergence extends Error {
  constructor(message: string) {
    super(`the replay diverged from the recording: ${message}`);
    this.name = "ReplayDivergence";
  }
}

/**
 * How long real waits (files, modules that load late) may take before a line of the log is reported as never requested.
 */
const PATIENCE_MS = 10_000;

/** Replays a recorded session without network, tools or clock and arrives at the same journal. */
export class Replayer implements SessionTape {
  readonly #values = { now: [] as number[], random: [] as number[], uuid: [] as string[] };
  readonly #used = { now: 0, random: 0, uuid: 0 };
  readonly #recorded: RequestLine[] = [];
  readonly #completions: Completion[] = [];
  #at = 0;
  readonly #calls = new CallCount();
  #requests = 0;
  readonly #made = { timer: 0, wait: 0 };
  #taken = 0;
  readonly #waiting = new Map<string, (line: Completion) => void>();
  /** Abandoned requests, whose later lines in the log are skipped. */
  readonly #left = new Set<string>();
  #divergence: ReplayDivergence | undefined;
  /** Everything recorded has been let through. Whatever still has to end uses the machine's own clock. */
  #over = false;

  constructor(folder: string) {
    for (const text of readFileSync(join(folder, LOG_NAME), "utf8").split("\n")) {
      if (text !== "") this.#load(JSON.parse(text) as LogLine);
    }
  }

  deps(base: ClientDeps): ClientDeps {
    const timer =
      (t: "timer" | "wait"): ClientDeps["setTimer"] =>
      (callback, ms) =>
        this.#over ? base.setTimer(callback, ms) : this.#timer(t, callback);
    // Recordings of earlier versions count waits as timers.
    const waits = this.#completions.some(({ t }) => t === "wait") ? "wait" : "timer";
    return {
      ...base,
      now: () => this.#value("now", base.now),
      random: () => this.#value("random", base.random),
      uuid: () => this.#value("uuid", base.uuid),
      fetch: this.#fetch,
      setTimer: timer("timer"),
      sleep: (ms, signal) => sleepOn(timer(waits), ms, signal),
    };
  }

  readonly aroundExecute: NonNullable<SessionTape["aroundExecute"]> = async (call, run, nest) => {
    if (call.tool.sessionOnly) return run();
    const outer = this.#calls.next("tool", call.callId);
    const ended = this.#wait(callKey("tool", outer));
    let line: Completion;
    // The tool's own work is not done again, but the calls that it made are.
    for (let n = 0; ; n++) {
      line = await Promise.race([ended, this.#wait(nestedKey(outer, n))]);
      if (line.t !== "nested") break;
      void nest(line.name, fromJson(line.arguments) as JsonObject);
    }
    if (line.t === "tool") return fromJson(line.result) as ToolResult;
    if (line.t !== "tool_error") throw this.#diverge(`call ${call.callId} has no recorded result`);
    throw failureOf(line);
  };

  readonly aroundAccess = async ({ callId }: ProposedCall): Promise<DeclaredAccess> => {
    const line = await this.#wait(callKey("access", this.#calls.next("access", callId)));
    if (line.t === "access") return (fromJson(line.access) as readonly Access[] | null) ?? undefined;
    if (line.t !== "access_error") throw this.#diverge(`call ${callId} has no recorded access`);
    throw failureOf(line);
  };

  /** Returns what the work returned when it was recorded. */
  async takeOutcome<T>(_work: () => Promise<T>): Promise<T> {
    const line = await this.#wait(`taken ${this.#taken++}`);
    return (line.t === "taken" ? fromJson(line.value) : undefined) as T;
  }

  /** Gives the recorded inputs and lets everything through in order. Resolves when all inputs have ended. */
  async run(session: Session): Promise<void> {
    try {
      await this.#letThrough(session);
    } finally {
      this.#over = true;
    }
  }

  async #letThrough(session: Session): Promise<void> {
    const inputs: Promise<unknown>[] = [];
    for (; this.#at < this.#completions.length; this.#at++) {
      const line = this.#completions[this.#at]!;
      if (line.t === "input") {
        if (line.verb === "submit" || line.verb === "continue") await this.#until(() => session.state !== "processing");
        const content = line.content === undefined ? undefined : (fromJson(line.content) as InputContent);
        // The schema from the host may be stricter than its JSON Schema.
        const recorded = line.outputSchema as JsonSchema | undefined;
        session.outputSchema = recorded && (session.outputSchema ?? recorded);
        inputs.push(giveInput(session, line.verb, content));
        continue;
      }
      const key = keyOf(line);
      const wasRequested = await this.#until(() => this.#waiting.has(key) || this.#left.has(leftKey(line)));
      if (!wasRequested) throw this.#diverge(`no request was made for ${key}`);
      this.#take(key, line);
      // All consequences of this completion happen before the next one.
      await settle();
      if (this.#divergence) throw this.#divergence;
    }
    this.#over = true;
    const ended = await Promise.race([Promise.all(inputs).then(() => true), patience()]);
    if (this.#divergence) throw this.#divergence;
    if (!ended) throw this.#diverge("the run continues after the end of the recording");
  }

  /** Returns false if the condition does not come true and nothing more can happen. */
  async #until(holds: () => boolean): Promise<boolean> {
    for (let waits = 0; waits < 50 && !holds(); waits++) await settle();
    for (let waited = 0; waited < PATIENCE_MS && !holds(); waited++) {
      if (this.#divergence) throw this.#divergence;
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return holds();
  }

  #take(key: string, line: Completion): void {
    const taker = this.#waiting.get(key);
    this.#waiting.delete(key);
    taker?.(line);
  }

  readonly #fetch: Transport = async (request: TransportRequest) => {
    const n = this.#requests++;
    const difference = differenceOf(this.#recorded[n], n, request);
    if (difference !== undefined) throw this.#diverge(difference);
    const line = await this.#waitFor(n, `response ${n}`, request.signal);
    if (line.t === "no_response") throw new NetworkError(line.error);
    if (line.t !== "response") throw this.#diverge(`request ${n} has no recorded response`);
    return {
      status: line.status,
      headers: line.headers as Record<string, string>,
      body: this.#body(n, request.signal),
    };
  };

  async *#body(n: number, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const line = await this.#waitFor(n, `body ${n}`, signal);
        if (line.t === "chunk") yield new Uint8Array(Buffer.from(line.base64, "base64"));
        else if (line.t === "body_end" && line.error !== undefined) throw new NetworkError(line.error);
        else return;
      }
    } finally {
      this.#left.add(`request ${n}`);
    }
  }

  #wait(key: string): Promise<Completion> {
    return new Promise((resolve) => this.#waiting.set(key, resolve));
  }

  #waitFor(n: number, key: string, signal: AbortSignal | undefined): Promise<Completion> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#left.add(`request ${n}`);
        this.#waiting.delete(key);
        reject(new AbortError("The request was aborted."));
      };
      this.#waiting.set(key, (line) => {
        signal?.removeEventListener("abort", onAbort);
        resolve(line);
      });
      if (signal?.aborted) onAbort();
      else signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  #timer(t: "timer" | "wait", callback: () => void): { cancel(): void } {
    const key = `${t} ${this.#made[t]++}`;
    this.#waiting.set(key, callback);
    return { cancel: () => void this.#waiting.delete(key) };
  }

  #value<T extends "now" | "random" | "uuid">(t: T, real: ClientDeps[T]): ReturnType<ClientDeps[T]> {
    const value = this.#values[t][this.#used[t]++];
    if (value !== undefined) return value as ReturnType<ClientDeps[T]>;
    if (this.#over) return real() as ReturnType<ClientDeps[T]>;
    throw this.#diverge(`more ${t} values are requested than were recorded`);
  }

  #diverge(message: string): ReplayDivergence {
    this.#divergence ??= new ReplayDivergence(message);
    return this.#divergence;
  }

  #load(line: LogLine): void {
    switch (line.t) {
      case "now":
      case "random":
        this.#values[line.t].push(line.v);
        break;
      case "uuid":
        this.#values.uuid.push(line.v);
        break;
      case "request":
        this.#recorded[line.n] = line;
        break;
      default:
        this.#completions.push(line);
    }
  }
}

function keyOf(line: Completion): string {
  switch (line.t) {
    case "input":
      return "input";
    case "timer":
    case "wait":
    case "taken":
      return `${line.t} ${line.n}`;
    case "response":
    case "no_response":
      return `response ${line.n}`;
    case "chunk":
    case "body_end":
      return `body ${line.n}`;
    case "access":
    case "access_error":
      return callKey("access", line);
    case "nested":
      return nestedKey(line, line.n);
    case "tool":
    case "tool_error":
      return callKey("tool", line);
  }
}

/** The key under which abandoning a request makes a line superfluous. */
function leftKey(line: Completion): string {
  return "n" in line && !/^(?:timer|wait|taken|nested)$/.test(line.t) ? `request ${line.n}` : keyOf(line);
}

function failureOf({ name, message }: { readonly name: string; readonly message: string }): Error {
  return name === "ToolFailure" ? new ToolFailure(message) : Object.assign(new Error(message), { name });
}

function patience(): Promise<false> {
  return new Promise((resolve) => {
    setTimeout(resolve, PATIENCE_MS, false).unref();
  });
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
