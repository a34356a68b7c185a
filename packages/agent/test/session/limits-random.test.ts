// Random runs under random limits: three agents, retries, broken-off answers, summaries, side calls and kills. The
// model bills whatever it likes within what a request allows, often all of it, even for requests whose answer never
// arrived.

import { costOf, Message, NetworkError, type Request, ServerError, StreamError, type Usage } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import type { BudgetConfig } from "../../src/base/budget/ledger.ts";
import { charactersOf } from "../../src/context/message-size.ts";
import type { Middleware } from "../../src/contract/seams/types.ts";
import { SessionError } from "../../src/contract/session-error.ts";
import { ToolFailure } from "../../src/contract/tool.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { MemoryStore } from "../../src/record/journal/store.ts";
import { agentProfile, childJournals, types, yields } from "../support/agents.ts";
import { journalError } from "../support/history-grammar.ts";
import type { ScriptedTurn } from "../support/scripted-client.ts";
import { type Setup, setUp, testDeps, tool } from "../support/session.ts";

const RUNS = process.env["LATHE_LONG"] ? 500 : 20;
const COST = {
  input: 3,
  output: 15,
  cacheRead: 0.3,
  cacheWrite: 3.75,
  longPrompt: { above: 9000, input: 6, output: 22.5, cacheRead: 0.6, cacheWrite: 7.5 },
};
const WORDS = "the quick brown fox jumps over the lazy dog and 1234 more {} things; ";

interface Bill {
  tokens: number;
  usd: number;
}

/** What the vendor charges. */
class Vendor {
  readonly charged: Bill = { tokens: 0, usd: 0 };
  /** Answers whose cost the vendor did not report. */
  cutOff = 0;
  shortest = Number.POSITIVE_INFINITY;
  /** Processes that were killed. */
  kills = 0;
  onKill: () => void = () => {};
  readonly #random: () => number;
  #kills: number;

  constructor(random: () => number, kills: number) {
    this.#random = random;
    this.#kills = kills;
  }

  /** `process`: which of them asks; requests of a killed one are never sent. */
  answer(request: Request, process: number): ScriptedTurn {
    const random = this.#random;
    const never = (): Promise<void> => new Promise(() => {});
    if (process !== this.kills) return { text: "", before: never };
    const chance = random();
    if (chance < 0.08) return { error: new ServerError("overloaded", { provider: "test", statusCode: 500 }) };
    if (chance < 0.1) return { error: new NetworkError("refused", {}) };
    const room = request.maxTokens ?? Number.NaN;
    expect(room).toBeGreaterThan(0);
    this.shortest = Math.min(this.shortest, room);
    const size =
      JSON.stringify(request.tools ?? []).length + request.messages.reduce((sum, one) => sum + charactersOf(one), 0);
    const prompt = Math.ceil(size / 2.5) + 4 * request.messages.length;
    const isWhole = random() < 0.3;
    const output = isWhole ? room : Math.min(room, 1 + Math.floor(random() * 400));
    const cached = random() < 0.5 ? { cacheWriteTokens: prompt } : {};
    const usage: Usage = { inputTokens: prompt, outputTokens: output, totalTokens: prompt + output, ...cached };
    if (chance < 0.16) {
      const text = WORDS.repeat(1 + Math.floor(random() * 4));
      const sent = { inputTokens: prompt, outputTokens: Math.ceil(text.length / 4), totalTokens: 0 };
      this.#charge({ ...sent, totalTokens: prompt + sent.outputTokens });
      this.cutOff += 1;
      return { text, breakWith: new StreamError("broke off") };
    }
    if (this.#kills > 0 && chance < 0.2) {
      this.#charge(usage);
      this.#kills -= 1;
      this.cutOff += 1;
      this.kills += 1;
      const kill = (): Promise<void> => {
        this.onKill();
        return never();
      };
      return { text: "", before: kill };
    }
    // Closing the connection ends the answer: only the prompt is paid for.
    const read = { ...usage, outputTokens: 0, totalTokens: prompt };
    this.#charge(read);
    this.cutOff += 1;
    const finish = isWhole ? ({ finish: "length" } as const) : {};
    const calls = Array.from({ length: 1 + Math.floor(random() * 3) }, (_, n) => ({
      name: "look",
      args: { n: random() + n },
    }));
    const turn = random() < 0.25 ? { text: WORDS } : random() < 0.1 ? yields("done") : { calls };
    return this.#counted({ ...turn, ...finish }, usage, read);
  }

  /** The cost of an answer is reported when it ends. */
  #counted(turn: ScriptedTurn, usage: Usage, read: Usage): ScriptedTurn {
    let isSaid = false;
    const say = (): Usage => {
      if (isSaid) return usage;
      isSaid = true;
      this.cutOff -= 1;
      this.charged.tokens += usage.outputTokens;
      this.charged.usd += costOf(usage, COST, "test") - costOf(read, COST, "test");
      return usage;
    };
    return Object.defineProperty(turn, "usage", { get: say });
  }

  #charge(usage: Usage): void {
    this.charged.tokens += usage.totalTokens;
    this.charged.usd += costOf(usage, COST, "test");
  }
}

/** Side calls and compactions, as titles and long conversations cause them. */
const chores = (random: () => number): Middleware => ({
  name: "chores",
  beforeRequest: async ({ entryIds, request: { messages } }, context) => {
    const chance = random();
    const ask = { messages: [Message.user(WORDS)], maxTokens: chance < 0.04 ? 300 : 2000 };
    if (chance < 0.08) await context.callModel("note", ask).catch(() => undefined);
    const kept = messages.findLastIndex(({ role }) => role === "user") - (messages.length - entryIds.length);
    const firstKeptEntryId = entryIds[kept];
    if (chance < 0.92 || kept <= 0 || firstKeptEntryId === undefined) return undefined;
    const summarize = async (own: typeof context) => {
      const { text } = await own.callModel("summary", { continuing: true, ...ask });
      return { reason: "threshold", summary: text, firstKeptEntryId };
    };
    return { compact: { reason: "threshold", summarize } };
  },
});

function randomLimits(random: () => number): BudgetConfig {
  const some = <T>(value: T): T | undefined => (random() < 0.6 ? value : undefined);
  return {
    tokens: some(Math.round(15_000 + random() * 150_000)),
    usd: some(0.1 + random()),
    turns: some(3 + Math.floor(random() * 40)),
    calls: some(2 + Math.floor(random() * 30)),
  };
}

async function work(s: Setup, random: () => number): Promise<void> {
  const { session } = s;
  const { subagents } = session;
  const refused = (error: unknown): void => {
    if (!(error instanceof ToolFailure || error instanceof SessionError)) throw error;
  };
  if (session.hasUnfinishedInput) await session.continue();
  for (let input = 0; input < 3; input++) {
    const root = session.submit("go on").catch(refused);
    if (input === 0) {
      const tasks = ["A", "B", "C"].map((id) => ({ assignment: `work as ${id}` }));
      await subagents.spawnBatch({ agent: "explore", callId: `t${input}`, tasks }).catch(refused);
    } else if (random() < 0.5) {
      for (const { agentId } of subagents.list()) await subagents.directory.send(agentId, "more").catch(refused);
    }
    if (random() < 0.3)
      for (const { agentId } of subagents.list()) await subagents.directory.stop(agentId).catch(refused);
    await root;
    await Promise.all(subagents.list().map(({ agentId }) => subagents.wait(agentId, new AbortController().signal)));
  }
}

async function run(
  seed: number,
): Promise<{ readonly vendor: Vendor; readonly s: Setup; readonly limits: BudgetConfig; readonly ran: number }> {
  const deps = testDeps();
  for (let n = 0; n < seed; n++) deps.random();
  const { random } = deps;
  const limits = randomLimits(random);
  const vendor = new Vendor(random, seed % 3);
  const journals = childJournals(deps);
  let ran = 0;
  const look = tool("look", () => {
    ran += 1;
    return WORDS.repeat(1 + Math.floor(random() * 12));
  });
  const open = (journal: Journal): Setup => {
    const process = vendor.kills;
    return setUp({
      deps,
      journal,
      profile: { ...agentProfile([look]), modelInfo: { cost: COST, maxOutput: 8000 } as never },
      middleware: [chores(random)],
      subagents: { types, journal: journals.journal },
      config: { budget: limits, enableLoopDetection: false, jobReports: "wait" },
      script: (request) => vendor.answer(request, process),
    });
  };
  let store = new MemoryStore();
  let s = open(Journal.create({ id: deps.uuid(), cwd: "/work" }, () => store, journals.journalDeps));
  for (;;) {
    const killed = new Promise<true>((resolve) => {
      vendor.onKill = () => resolve(true);
    });
    const isKilled = await Promise.race([killed, work(s, random).then(() => false)]);
    if (!isKilled) return { vendor, s, limits, ran };
    store = journals.copyOf(store);
    s = open(Journal.open(store, journals.journalDeps));
  }
}

describe("limits that hold", () => {
  it(`no dimension is exceeded in ${RUNS} random runs, and what is spent is what the provider said`, async () => {
    const stopped = new Set<string>();
    let shortened = 0;
    for (let seed = 1; seed <= RUNS; seed++) {
      const { vendor, s, limits, ran } = await run(seed);
      const { spent, usage } = s.session;
      const { tokens = Infinity, usd = Infinity, turns = Infinity, calls = Infinity } = limits;
      const about = `run ${seed}: ${JSON.stringify({ limits, charged: vendor.charged, spent, uncertain: usage.uncertain, ran })}`;
      expect(vendor.charged.tokens, about).toBeLessThanOrEqual(tokens);
      expect(vendor.charged.usd, about).toBeLessThanOrEqual(usd);
      expect(spent.turns, about).toBeLessThanOrEqual(turns);
      expect(spent.calls, about).toBeLessThanOrEqual(calls);
      // A call that only reads and was cut off by a kill is run again.
      if (vendor.kills === 0) expect(ran, about).toBeLessThanOrEqual(calls);
      if (vendor.cutOff === 0) {
        expect(spent.tokens, about).toBe(vendor.charged.tokens);
        expect(spent.usd, about).toBeCloseTo(vendor.charged.usd, 9);
      }
      expect(journalError(s.session.journal)).toBeUndefined();
      for (const { data } of s.of("warning"))
        if (data.code === "budget_exhausted") stopped.add(data.message.replace(/[\d.$]+/g, "n"));
      if (vendor.shortest < 8000) shortened += 1;
      await s.finish();
    }
    // Otherwise this would prove nothing: limits were reached and answers were shortened.
    expect(stopped.size).toBeGreaterThanOrEqual(3);
    expect(shortened).toBeGreaterThan(RUNS / 10);
  });
});
