// What all sessions used: messages, tokens and money, by model and by day. Counted from the journals each time.

import { MemoryBlobs, readLine, readLineHead, readLines } from "@lathe/agent";
import type { Usage } from "@lathe/llm";
import { addTokens, type TokenCounts, tokenCounts } from "./tokens.ts";

export interface Spending extends TokenCounts {
  /** Answers of models. */
  readonly answers: number;
  /** US dollars. */
  readonly cost: number;
}

export interface SessionStats {
  readonly sessions: number;
  readonly messages: { readonly user: number; readonly assistant: number; readonly tool: number };
  readonly total: Spending;
  /** By `provider/model`. */
  readonly byModel: Readonly<Record<string, Spending>>;
  /** By UTC date. */
  readonly byDay: Readonly<Record<string, Spending>>;
}

const NOTHING: Spending = { answers: 0, input: 0, cached: 0, output: 0, cost: 0 };
/** Requests that failed after they had cost something. */
const FAILED_REQUESTS = "(failed requests)";

export function collectStats(sessions: readonly string[], children: readonly string[]): SessionStats {
  const counter = new Counter();
  for (const path of [...sessions, ...children]) readLines(path, 0, (line) => counter.add(line));
  return { sessions: sessions.length, ...counter.result() };
}

interface SpendingLine {
  readonly timestamp: string;
  readonly provider?: string;
  readonly model?: string;
  readonly usage?: Usage;
  readonly cost?: number;
}

class Counter {
  readonly #messages = { user: 0, assistant: 0, tool: 0 };
  readonly #byModel = new Map<string, Spending>();
  readonly #byDay = new Map<string, Spending>();
  /** A fork repeats the entries of the session it comes from: they were paid once. */
  readonly #seen = new Set<string>();
  /** Nothing that is counted lies in a blob. */
  readonly #noBlobs = new MemoryBlobs();
  #total = NOTHING;

  add(line: Buffer): void {
    const type = readLineHead(line)?.type;
    if (type === "settle" && line.includes('"usage"')) {
      const settled = readLine(line, this.#noBlobs);
      if (settled?.type === "settle") this.#spend(settled, FAILED_REQUESTS, 0);
    }
    if (type !== "message") return;
    const role = roleOf(line);
    if (role !== "user" && role !== "assistant" && role !== "tool") return;
    if (role !== "assistant") {
      if (this.#isFirst(entryKey(line))) this.#messages[role]++;
      return;
    }
    const entry = readLine(line, this.#noBlobs);
    if (entry?.type !== "message" || !this.#isFirst(entryKey(line))) return;
    this.#messages.assistant++;
    const { provider, model = "(unknown)" } = entry;
    this.#spend(entry, provider === undefined ? model : `${provider}/${model}`, 1);
  }

  result(): Omit<SessionStats, "sessions"> {
    return {
      messages: this.#messages,
      total: this.#total,
      byModel: Object.fromEntries(this.#byModel),
      byDay: Object.fromEntries(this.#byDay),
    };
  }

  #isFirst(key: string): boolean {
    const before = this.#seen.size;
    return this.#seen.add(key).size > before;
  }

  #spend({ timestamp, provider = "", usage, cost = 0 }: SpendingLine, model: string, answers: number): void {
    const tokens = usage ? tokenCounts(usage, provider) : NOTHING;
    const add = (sofar: Spending = NOTHING): Spending => ({
      ...addTokens(sofar, tokens),
      answers: sofar.answers + answers,
      cost: sofar.cost + cost,
    });
    const day = timestamp.slice(0, 10);
    this.#total = add(this.#total);
    this.#byModel.set(model, add(this.#byModel.get(model)));
    this.#byDay.set(day, add(this.#byDay.get(day)));
  }
}

/** Id and time, which a fork keeps while it may change the parent. */
function entryKey(line: Buffer): string {
  const head = line.toString("latin1", 0, 200);
  return `${/"id":"([^"]+)"/.exec(head)?.[1]} ${/"timestamp":"([^"]+)"/.exec(head)?.[1]}`;
}

/** From the first bytes: results may be long, and nothing else in them is needed. */
function roleOf(line: Buffer): string | undefined {
  return /"message":\{"role":"(\w+)"/.exec(line.toString("latin1", 0, 400))?.[1];
}
