// Records a run: wraps everything that the session gets from outside and writes down the results.

import { AsyncLocalStorage } from "node:async_hooks";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { AbortError, type ClientDeps, jsonSchemaOf, type Transport, type TransportRequest } from "@lathe/llm";
import type { InputContent, InputOutcome } from "../../contract/events/types.ts";
import type { CallInfo, ProposedCall } from "../../contract/seams/types.ts";
import type { DeclaredAccess, ToolResult } from "../../contract/tool.ts";
import type { Redactor } from "../../policy/redact/redactor.ts";
import type { Session } from "../session.ts";
import type { SessionOptions } from "../types.ts";
import { CallCount, type CallLine, type InputVerb, LOG_NAME, type LogLine, type SessionTape, toJson } from "./log.ts";
import { requestLine } from "./request-line.ts";

/** Records everything that a session gets from outside, so that `Replayer` can run it again. */
export class Recorder implements SessionTape {
  readonly #path: string;
  readonly #redactor: Redactor | undefined;
  /** Set inside work that is recorded as a whole: a replay requests nothing from inside it. */
  readonly #unrecorded = new AsyncLocalStorage<true>();
  readonly #calls = new CallCount();
  /** How many nested calls each running call has made so far. */
  readonly #running = new WeakMap<CallInfo, { readonly line: CallLine; nested: number }>();
  #requests = 0;
  /** Waits are counted separately: how many deadlines there are depends on how fast the work under them is. */
  readonly #made = { timer: 0, wait: 0 };
  #taken = 0;
  #queue: Promise<void> = Promise.resolve();

  /** Creates the folder. A run that was recorded there before is continued in the same file. */
  constructor(folder: string, redactor?: Redactor) {
    mkdirSync(folder, { recursive: true });
    this.#path = join(folder, LOG_NAME);
    this.#redactor = redactor;
  }

  /** The deps for the client, the session and the journal. */
  deps(base: ClientDeps): ClientDeps {
    const recordCall = <T extends "now" | "random" | "uuid">(t: T) =>
      (() => {
        const v = base[t]();
        if (!this.#unrecorded.getStore()) this.#write({ t, v } as LogLine);
        return v;
      }) as ClientDeps[T];
    const fetch: Transport = Object.assign((request: TransportRequest) => this.#fetch(base.fetch, request), base.fetch);
    const recordTimer =
      (t: "timer" | "wait"): ClientDeps["setTimer"] =>
      (callback, ms) => {
        if (this.#unrecorded.getStore()) return base.setTimer(callback, ms);
        const n = this.#made[t]++;
        return base.setTimer(() => {
          this.#write({ t, n });
          callback();
        }, ms);
      };
    const setTimer = recordTimer("timer");
    const sleep: ClientDeps["sleep"] = (ms, signal) => sleepOn(recordTimer("wait"), ms, signal);
    return {
      ...base,
      now: recordCall("now"),
      random: recordCall("random"),
      uuid: recordCall("uuid"),
      fetch,
      setTimer,
      sleep,
    };
  }

  readonly aroundExecute = async (call: CallInfo, run: () => Promise<ToolResult>): Promise<ToolResult> => {
    if (call.tool.sessionOnly) return run();
    const line = this.#calls.next("tool", call.callId);
    this.#running.set(call, { line, nested: 0 });
    try {
      const result = await this.#unrecorded.run(true, run);
      await this.#inOrder();
      this.#write({ t: "tool", ...line, result: toJson(result) });
      return result;
    } catch (error) {
      const { name, message } = error as Error;
      await this.#inOrder();
      this.#write({ t: "tool_error", ...line, name, message });
      throw error;
    }
  };

  /** A replay makes the same nested calls again, so what happens inside them is recorded as in any call. */
  readonly aroundNested: NonNullable<SessionOptions["aroundNested"]> = async (outer, call, run) => {
    if (outer.tool.sessionOnly) return run();
    const running = this.#running.get(outer);
    if (!running) throw new Error(`the call ${outer.callId} is not running`);
    const n = running.nested++;
    await new Promise((resolve) => setImmediate(resolve));
    await this.#inOrder();
    this.#write({ t: "nested", ...running.line, n, ...call });
    return this.#unrecorded.exit(run);
  };

  readonly aroundAccess = async (
    { callId }: ProposedCall,
    look: () => Promise<DeclaredAccess>,
  ): Promise<DeclaredAccess> => {
    const call = this.#calls.next("access", callId);
    try {
      const access = await this.#unrecorded.run(true, look);
      // The result may have come at once, in the middle of the consequences of an earlier completion.
      await new Promise((resolve) => setImmediate(resolve));
      await this.#inOrder();
      this.#write({ t: "access", ...call, access: toJson(access) });
      return access;
    } catch (error) {
      const { name, message } = error as Error;
      await this.#inOrder();
      this.#write({ t: "access_error", ...call, name, message });
      throw error;
    }
  };

  /** Records anything else that the host gets from outside for the session, as JSON. */
  async takeOutcome<T>(work: () => Promise<T>): Promise<T> {
    const n = this.#taken++;
    const value = await this.#unrecorded.run(true, work);
    await this.#inOrder();
    this.#write({ t: "taken", n, value: toJson(value) });
    return value;
  }

  /** Gives an input to the session and records the moment. */
  input(session: Session, verb: InputVerb, content?: InputContent): Promise<InputOutcome | undefined> {
    const schema = session.outputSchema;
    this.#write({
      t: "input",
      verb,
      ...(content === undefined ? {} : { content: toJson(content) }),
      ...(schema === undefined ? {} : { outputSchema: jsonSchemaOf(schema) }),
    });
    return giveInput(session, verb, content);
  }

  async #fetch(fetch: Transport, request: TransportRequest): Promise<Awaited<ReturnType<Transport>>> {
    if (this.#unrecorded.getStore()) return fetch(request);
    const n = this.#requests++;
    this.#write(requestLine(n, request));
    const response = await fetch(request).catch((error: unknown) => {
      this.#write({ t: "no_response", n, error: (error as Error).message });
      throw error;
    });
    this.#write({ t: "response", n, status: response.status, headers: withoutCookies(response.headers) });
    return { ...response, body: this.#body(n, response.body) };
  }

  async *#body(n: number, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of body) {
        this.#write({ t: "chunk", n, base64: Buffer.from(chunk).toString("base64") });
        yield chunk;
      }
      this.#write({ t: "body_end", n });
    } catch (error) {
      this.#write({ t: "body_end", n, error: (error as Error).message });
      throw error;
    }
  }

  /**
   * The consequences of two simultaneous completions would mix in a way that no replay could repeat, so we let them
   * through one after another.
   */
  #inOrder(): Promise<void> {
    const before = this.#queue;
    this.#queue = before.then(() => new Promise((resolve) => setImmediate(resolve)));
    return before;
  }

  #write(line: LogLine): void {
    // The session redacts in the same way, so a replay gives the same journal.
    const written = this.#redactor?.value(line) ?? line;
    appendFileSync(this.#path, `${JSON.stringify(written)}\n`, { mode: 0o600 });
  }
}

export async function giveInput(
  session: Session,
  verb: InputVerb,
  content: InputContent | undefined,
): Promise<InputOutcome | undefined> {
  switch (verb) {
    case "submit":
      return session.submit(content ?? "");
    case "continue":
      return session.continue();
    case "interrupt":
      await session.interrupt();
      return undefined;
    case "steer":
      session.steer(content ?? "");
      return undefined;
    case "followUp":
      session.followUp(content ?? "");
      return undefined;
  }
}

/** Cookies are secrets; no other header of an answer is. */
function withoutCookies({
  "set-cookie": _cookie,
  ...headers
}: Readonly<Record<string, string>>): Record<string, string> {
  return headers;
}

/** Sleeps with any timer; an abort ends it at once. */
export function sleepOn(setTimer: ClientDeps["setTimer"], ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      timer.cancel();
      reject(new AbortError("The wait was aborted."));
    };
    const timer = setTimer(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener("abort", onAbort, { once: true });
  });
}
