// A host of RPC mode for tests, at the level of lines: every line the agent writes is checked against the published schemas.

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { type EventEmitter, once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { type JsonSchema, type JsonValue, violationOf } from "@lathe/llm";
import { type ModelServer, type ModelServerOptions, startModelServer } from "@lathe/testkit";
import { type Sandbox, sandbox } from "./command.ts";
import { InsideCommand } from "./machine.ts";
import { schemaPart } from "./schema-part.ts";

export type Frame = Record<string, unknown> & { readonly type: string };

export function schemaFile(name: string): JsonSchema {
  return JSON.parse(readFileSync(new URL(`../schemas/${name}`, import.meta.url), "utf8")) as JsonSchema;
}

const replies = schemaFile("rpc-replies.json");
const frames = schemaFile("rpc-frames.json");
const events = schemaFile("events.json");
const lines = schemaFile("json-line.json");
/** The schema of one kind of line. */
const kind = (file: JsonSchema, name: string): JsonSchema => schemaPart(file["$defs"] as JsonSchema, name);

async function mustFit(schema: JsonSchema, value: unknown): Promise<void> {
  const violation = await violationOf(schema, value as JsonValue);
  if (violation) throw new Error(`${violation.path} ${violation.message} in ${JSON.stringify(value).slice(0, 2000)}`);
}

export async function checkFrame(frame: Frame): Promise<void> {
  if (frame.type === "response") {
    return mustFit(kind(replies, frame["success"] === true ? String(frame["command"]) : "failure"), frame);
  }
  await mustFit(kind(frames, frame.type), frame);
  if (frame.type === "event") await mustFit(kind(events, eventOf(frame).type), eventOf(frame));
}

export const checkJsonLine = (line: Frame): Promise<void> => mustFit(kind(lines, line.type), line);

export const eventOf = (frame: Frame): Frame => (frame["payload"] as { event: Frame }).event;

/** The agent's side: a process, or the command inside the test. */
export type Agent = ChildProcessWithoutNullStreams | InsideCommand;

export class RpcHost<A extends Agent = Agent> {
  readonly child: A;
  readonly frames: Frame[] = [];
  readonly #checks: Promise<void>[] = [];
  readonly #waiting = new Set<() => void>();
  readonly #closed: Promise<void>;
  #ended = false;
  #n = 0;
  stderr = "";

  constructor(child: A) {
    this.child = child;
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    this.#closed = once(child as EventEmitter, "close").then(() => {
      this.#ended = true;
      for (const look of this.#waiting) look();
    });
    this.read();
  }

  read(): void {
    createInterface({ input: this.child.stdout, crlfDelay: Number.POSITIVE_INFINITY }).on("line", (line) => {
      const frame = JSON.parse(line) as Frame;
      this.frames.push(frame);
      const check = checkFrame(frame);
      check.catch(() => {}); // reported by `finish`
      this.#checks.push(check);
      for (const look of this.#waiting) look();
    });
  }

  raw(text: string): void {
    this.child.stdin.write(text);
  }
  send(frame: object): void {
    this.raw(`${JSON.stringify(frame)}\n`);
  }

  /** The first matching frame; frames that have already arrived count. */
  wait(what: string, fits: (frame: Frame) => boolean, from = 0): Promise<Frame> {
    return new Promise((resolve, reject) => {
      let next = from;
      const look = (): void => {
        let found: Frame | undefined;
        while (found === undefined && next < this.frames.length) {
          const frame = this.frames[next++]!;
          if (fits(frame)) found = frame;
        }
        if (!found && !this.#ended) return;
        this.#waiting.delete(look);
        if (found) resolve(found);
        else reject(new Error(`the agent ended before ${what}; stderr: ${this.stderr}`));
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Sends a command and returns its (first) reply. */
  async ask(type: string, params: object = {}): Promise<Frame> {
    const id = `t${++this.#n}`;
    this.send({ id, type, ...params });
    return this.wait(`the reply to ${type}`, (frame) => frame.type === "response" && frame["id"] === id);
  }
  /** The data of a successful reply. */
  async data<T = Record<string, unknown>>(type: string, params: object = {}): Promise<T> {
    const reply = await this.ask(type, params);
    if (reply["success"] !== true) throw new Error(`${type}: ${JSON.stringify(reply["error"])}`);
    return reply["data"] as T;
  }

  event(type: string, from = 0): Promise<Frame> {
    return this.wait(type, (frame) => frame.type === "event" && eventOf(frame).type === type, from).then(eventOf);
  }
  /** Events so far. */
  events(): Frame[] {
    return this.frames.filter(({ type }) => type === "event").map(eventOf);
  }
  /** Runs one prompt to its end. */
  async prompt(message: string, more: object = {}): Promise<void> {
    const from = this.frames.length;
    this.send({ type: "prompt", message, ...more });
    await this.event("agent_end", from);
  }

  /** Ends the agent, whatever it is doing. */
  async end(): Promise<void> {
    if (this.child instanceof InsideCommand) await this.child.leave();
    else this.child.kill("SIGKILL");
  }

  /** Closes stdin and waits; fails if any line did not fit its schema. */
  async finish(): Promise<number | null> {
    this.child.stdin.end();
    await this.#closed;
    await Promise.all(this.#checks);
    return this.child.exitCode;
  }
}

export interface Setup {
  readonly box: Sandbox;
  readonly server: ModelServer;
  readonly env: Record<string, string>;
  /** A host of the command inside the test. */
  start(...args: string[]): Promise<RpcHost<InsideCommand>>;
  /** Starts a host of the built command, for tests of its process. */
  startProcess(...args: string[]): Promise<RpcHost<ChildProcessWithoutNullStreams>>;
  remove(): Promise<void>;
}

export const MODEL = ["--model", "openai/gpt-5.2"];

/** A project, a scripted model, and hosts on demand; remaining hosts are ended. */
export async function setup(options: ModelServerOptions = {}): Promise<Setup> {
  const box = await sandbox();
  const server = await startModelServer(options);
  const env = { OPENAI_API_KEY: "key", OPENAI_BASE_URL: server.baseUrl("openai") };
  const hosts: RpcHost[] = [];
  const hostOf = async <A extends Agent>(child: A): Promise<RpcHost<A>> => {
    const host = new RpcHost(child);
    hosts.push(host);
    await host.wait("ready", ({ type }) => type === "ready");
    return host;
  };
  const rpc = (args: readonly string[]): string[] => ["--mode", "rpc", ...MODEL, ...args];
  return {
    box,
    server,
    env,
    start: (...args) => hostOf(box.open(rpc(args), env)),
    startProcess: (...args) => hostOf(box.start(rpc(args), env)),
    remove: async () => {
      for (const host of hosts) await host.end();
      await server.close();
      await box.remove();
    },
  };
}
