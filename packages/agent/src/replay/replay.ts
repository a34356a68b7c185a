// Runs a recorded run again without network, tools or clock. The same code gives the same journal, byte for byte; code
// that asks the model something else is told where it diverged.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type ClientDeps, NetworkError, type Transport, type TransportRequest } from "@lathe/llm";
import type { InputContent } from "../events/types.ts";
import type { CallInfo } from "../seams/types.ts";
import type { Session } from "../session/session.ts";
import { ToolFailure, type ToolResult } from "../tools/types.ts";
import { fromJson, LOG_NAME, type LogLine } from "./log.ts";
import { bodyDigest, giveInput } from "./record.ts";

type Completion = Exclude<LogLine, { t: "now" | "random" | "uuid" | "request" }>;

export class ReplayDivergence extends Error {
  constructor(message: string) {
    super(`the replay diverged from the recording: ${message}`);
    this.name = "ReplayDivergence";
  }
}

export class Replayer {
  readonly #values = { now: [] as number[], random: [] as number[], uuid: [] as string[] };
  readonly #used = { now: 0, random: 0, uuid: 0 };
  readonly #bodies: string[] = [];
  readonly #completions: Completion[] = [];
  #at = 0;
  #requests = 0;
  readonly #waiting = new Map<string, (line: Completion) => void>();

  constructor(folder: string) {
    for (const text of readFileSync(join(folder, LOG_NAME), "utf8").split("\n")) {
      if (text !== "") this.#load(JSON.parse(text) as LogLine);
    }
  }

  deps(base: Omit<ClientDeps, "fetch" | "now" | "random" | "uuid">): ClientDeps {
    return {
      ...base,
      now: () => this.#value("now"),
      random: () => this.#value("random"),
      uuid: () => this.#value("uuid"),
      fetch: this.#fetch,
    };
  }

  readonly aroundExecute = async (call: CallInfo): Promise<ToolResult> => {
    const line = await this.#wait(`tool ${call.callId}`);
    if (line.t === "tool") return fromJson(line.result) as ToolResult;
    if (line.t !== "tool_error") throw new ReplayDivergence(`call ${call.callId} has no recorded result`);
    if (line.name === "ToolFailure") throw new ToolFailure(line.message);
    throw Object.assign(new Error(line.message), { name: line.name });
  };

  /** Gives the recorded inputs and lets everything through in its order; resolves when all inputs have ended. */
  async run(session: Session): Promise<void> {
    const inputs: Promise<void>[] = [];
    while (this.#at < this.#completions.length) {
      const line = this.#completions[this.#at]!;
      if (line.t === "input") {
        this.#at += 1;
        const content = line.content === undefined ? undefined : (fromJson(line.content) as InputContent);
        inputs.push(giveInput(session, line.verb, content));
        continue;
      }
      const taker = this.#waiting.get(keyOf(line));
      if (taker) {
        this.#at += 1;
        this.#waiting.delete(keyOf(line));
        taker(line);
      }
      // Everything that follows from the last completion happens before the next one.
      await settle();
      if (!taker && session.state !== "processing") {
        throw new ReplayDivergence(`nobody asked for ${keyOf(line)}`);
      }
    }
    await Promise.all(inputs);
  }

  readonly #fetch: Transport = async (request: TransportRequest) => {
    const n = this.#requests++;
    if (this.#bodies[n] !== bodyDigest(request)) {
      throw new ReplayDivergence(`request ${n} is not the one that was recorded`);
    }
    const line = await this.#wait(`response ${n}`);
    if (line.t !== "response") throw new ReplayDivergence(`request ${n} has no recorded response`);
    return { status: line.status, headers: line.headers as Record<string, string>, body: this.#body(n) };
  };

  async *#body(n: number): AsyncGenerator<Uint8Array> {
    for (;;) {
      const line = await this.#wait(`body ${n}`);
      if (line.t === "chunk") yield new Uint8Array(Buffer.from(line.base64, "base64"));
      else if (line.t === "body_end" && line.error !== undefined) throw new NetworkError(line.error);
      else return;
    }
  }

  #wait(key: string): Promise<Completion> {
    return new Promise((resolve) => this.#waiting.set(key, resolve));
  }

  #value<T extends "now" | "random" | "uuid">(t: T): T extends "uuid" ? string : number {
    const value = this.#values[t][this.#used[t]++];
    if (value === undefined) throw new ReplayDivergence(`more ${t} values are asked for than were recorded`);
    return value as T extends "uuid" ? string : number;
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
        this.#bodies[line.n] = line.body;
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
    case "response":
      return `response ${line.n}`;
    case "chunk":
    case "body_end":
      return `body ${line.n}`;
    case "tool":
    case "tool_error":
      return `tool ${line.callId}`;
  }
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
