// The costs of one journal: a small table that can be kept instead of reading the file again.

import { MemoryBlobs } from "@lathe/agent";
import { startedAgent } from "@lathe/agent/agents";
import { readLine, readLineHead, readLines } from "@lathe/agent/record";
import { sideCost } from "@lathe/agent/session";
import type { Usage } from "@lathe/llm";
import { addTokens, type TokenCounts, tokenCounts } from "./tokens.ts";

export interface Spending extends TokenCounts {
  /** Number of model answers. */
  readonly answers: number;
  /** US dollars. */
  readonly cost: number;
  /** Requests with an unknown price, which `cost` does not include. */
  readonly unpriced: number;
}

export const NO_SPENDING: Spending = { answers: 0, input: 0, cached: 0, output: 0, cost: 0, unpriced: 0 };

export const addSpending = (a: Spending, b: Spending): Spending => ({
  ...addTokens(a, b),
  answers: a.answers + b.answers,
  cost: a.cost + b.cost,
  unpriced: a.unpriced + b.unpriced,
});

export interface MessageCounts {
  readonly user: number;
  readonly assistant: number;
  readonly tool: number;
}

export interface Tally {
  readonly messages: MessageCounts;
  readonly spent: readonly DaySpending[];
}

interface DaySpending extends Spending {
  /** Date in UTC. */
  readonly day: string;
  /** `provider/model`. */
  readonly model: string;
}

export interface FileStats {
  readonly cwd: string;
  /** The file that a fork was copied from. */
  readonly parent?: string;
  readonly own: Tally;
  /** Entries that a fork copied: they were paid for in the original session. */
  readonly copied: Tally;
  /** The kinds of the agents it started, by name. */
  readonly agents: Readonly<Record<string, string>>;
  /** Damaged lines, which are not counted. */
  readonly lost: number;
}

/** Requests that failed after they had incurred costs. */
const FAILED_REQUESTS = "(failed requests)";
const UNKNOWN_MODEL = "(unknown)";

/** Undefined if the file is not a session. */
export function statsOfFile(path: string): FileStats | undefined {
  const counter = new FileCounter();
  readLines(
    path,
    0,
    (line) => counter.add(line),
    () => counter.lost++,
  );
  return counter.result();
}

interface SpendingLine {
  readonly timestamp: string;
  readonly provider?: string;
  readonly usage?: Usage;
  readonly cost?: number;
}

class FileCounter {
  readonly #own = new TallyCounter();
  readonly #copied = new TallyCounter();
  /** Nothing that is counted is in a blob. */
  readonly #noBlobs = new MemoryBlobs();
  lost = 0;
  readonly #agents = new Map<string, string>();
  #header: { cwd: string; timestamp: string; parent: string | undefined } | undefined;

  add(line: Buffer): void {
    switch (readLineHead(line)?.type) {
      case "session":
        this.#begin(line);
        break;
      case "settle":
        if (line.includes('"usage"')) this.#countSettled(line);
        break;
      case "custom":
        if (line.includes('"customType":"maintenance"')) this.#sideCall(line);
        break;
      case "host":
        if (line.includes('"kind":"agent"')) this.#agent(line);
        break;
      case "message":
        this.#message(line);
        break;
    }
  }

  result(): FileStats | undefined {
    if (!this.#header) return undefined;
    const { cwd, parent } = this.#header;
    return {
      cwd,
      ...(parent === undefined ? {} : { parent }),
      own: this.#own.result(),
      copied: this.#copied.result(),
      agents: Object.fromEntries(this.#agents),
      lost: this.lost,
    };
  }

  #begin(line: Buffer): void {
    const header = readLine(line, this.#noBlobs);
    if (header?.type !== "session" || this.#header) return;
    const { cwd, timestamp, parentSession: parent } = header;
    this.#header = { cwd, timestamp, parent };
  }

  #agent(line: Buffer): void {
    const host = readLine(line, this.#noBlobs);
    const started = host?.type === "host" ? startedAgent(host) : undefined;
    if (started?.agent !== undefined) this.#agents.set(started.agentId, started.agent);
  }

  #countSettled(line: Buffer): void {
    const settled = readLine(line, this.#noBlobs);
    if (settled?.type === "settle") this.#own.spend(settled, FAILED_REQUESTS, 0);
  }

  #sideCall(line: Buffer): void {
    const entry = readLine(line, this.#noBlobs);
    const side = entry?.type === "custom" ? sideCost(entry) : undefined;
    if (entry?.type !== "custom" || !side) return;
    const { usage, cost, model } = side;
    const spent = { timestamp: entry.timestamp, usage, ...(cost === undefined ? {} : { cost }) };
    this.#tally(entry.timestamp).spend(spent, model, 1);
  }

  #message(line: Buffer): void {
    const role = roleOf(line);
    if (role !== "user" && role !== "assistant" && role !== "tool") return;
    if (role !== "assistant") {
      this.#tally(timestampOf(line)).messages[role]++;
      return;
    }
    const entry = readLine(line, this.#noBlobs);
    if (entry?.type !== "message") return;
    const tally = this.#tally(entry.timestamp);
    tally.messages.assistant++;
    const { provider, model = UNKNOWN_MODEL } = entry;
    tally.spend(entry, provider === undefined ? model : `${provider}/${model}`, 1);
  }

  /** Copied entries of a fork keep their timestamps. */
  #tally(timestamp: string): TallyCounter {
    const header = this.#header;
    return header?.parent !== undefined && timestamp < header.timestamp ? this.#copied : this.#own;
  }
}

class TallyCounter {
  readonly messages = { user: 0, assistant: 0, tool: 0 };
  readonly #spent = new Map<string, DaySpending>();

  spend({ timestamp, provider = "", usage, cost }: SpendingLine, model: string, answers: number): void {
    const tokens = usage ? tokenCounts(usage, provider) : NO_SPENDING;
    const unpriced = cost === undefined && tokens.input + tokens.output > 0 ? 1 : 0;
    const day = timestamp.slice(0, 10);
    const key = `${day} ${model}`;
    const before = this.#spent.get(key) ?? NO_SPENDING;
    this.#spent.set(key, { day, model, ...addSpending(before, { ...tokens, answers, cost: cost ?? 0, unpriced }) });
  }

  result(): Tally {
    return { messages: this.messages, spent: [...this.#spent.values()] };
  }
}

const HEAD_BYTES = 400;
const timestampOf = (line: Buffer): string =>
  /"timestamp":"([^"]+)"/.exec(line.toString("latin1", 0, HEAD_BYTES))?.[1] ?? "";

/** Read from the first bytes: results may be long, and nothing else in them is needed. */
const roleOf = (line: Buffer): string | undefined =>
  /"message":\{"role":"(\w+)"/.exec(line.toString("latin1", 0, HEAD_BYTES))?.[1];
