// What a session has cost, computed from its journal: by model, by input, by tool and by child. All branches are
// included, because money spent on an abandoned branch is still spent.

import { addUsage, comparableUsage, type JsonObject, type Usage } from "@lathe/llm";
import { modelsOfChildren, spentBy } from "../../agents/subagents/records.ts";
import { NO_USAGE } from "../../base/budget/ledger.ts";
import type { CustomEntry, MessageEntry } from "../../contract/journal.ts";
import type { JournalReader } from "../../contract/journal-reader.ts";
import { sideCost } from "../side-call.ts";
import { type AnswerShare, causesOf, sharesOf } from "./causes.ts";

/** Usage in counts that mean the same for every vendor. */
export interface Spending {
  /** Number of answers from models. */
  readonly answers: number;
  readonly usage: Usage;
  /** US dollars. */
  readonly cost: number;
  /** Answers of unknown price, which `cost` does not include. */
  readonly unpriced: number;
}

/** One input and the work that it caused, steering included. */
export interface InputSpending extends Spending {
  readonly entryId: string;
  readonly timestamp: string;
}

/**
 * The cost of an answer is divided among its causes: the results of the round before it, in proportion to their sizes,
 * or the user's message. So the costs of all tools and messages add up to those of all answers.
 */
export interface ToolSpending {
  readonly calls: number;
  readonly tokens: number;
  readonly cost: number;
}

/** Where the tokens and the money of a session went. */
export interface SessionCosts {
  /** Children, calls outside the conversation and billed failures included. */
  readonly total: Spending;
  /** Spending by `provider/model`. */
  readonly byModel: ReadonlyMap<string, Spending>;
  readonly byInput: readonly InputSpending[];
  /** Cost of the answers to messages. */
  readonly words: Omit<ToolSpending, "calls">;
  readonly byTool: ReadonlyMap<string, ToolSpending>;
  readonly byChild: ReadonlyMap<string, Spending>;
  /** Calls outside the conversation, such as summaries, by the role of their model. */
  readonly byRole: ReadonlyMap<string, Spending>;
}

const NO_SPENDING: Spending = { answers: 0, usage: NO_USAGE, cost: 0, unpriced: 0 };

/** Journal lines of billed failures do not say which model the request was for. */
const FAILED_REQUESTS = "(failed requests)";

function addSpending(a: Spending, b: Spending): Spending {
  return {
    answers: a.answers + b.answers,
    usage: addUsage(a.usage, b.usage),
    cost: a.cost + b.cost,
    unpriced: a.unpriced + b.unpriced,
  };
}

/** No usage costs nothing, whatever the price. */
const spendingOf = (usage: Usage, cost: number | undefined): Omit<Spending, "answers"> => ({
  usage,
  cost: cost ?? 0,
  unpriced: cost === undefined && usage.totalTokens > 0 ? 1 : 0,
});

/** Reads the whole journal, so keep it out of hot paths. */
export function sessionCosts(journal: JournalReader): SessionCosts {
  const costs = new Costs(journal);
  for (const id of journal.entryIds()) {
    const type = journal.meta(id)?.type;
    if (type === "message") costs.message(journal.entry(id) as MessageEntry);
    else if (type === "custom") costs.custom(journal.entry(id) as CustomEntry);
  }
  for (const { usage, cost } of journal.outside("settle"))
    if (usage) costs.spend(FAILED_REQUESTS, { answers: 0, ...spendingOf(comparableUsage(usage, ""), cost) });
  return costs;
}

class Costs implements SessionCosts {
  readonly byModel = new Map<string, Spending>();
  readonly byTool = new Map<string, ToolSpending>();
  readonly byChild = new Map<string, Spending>();
  readonly byRole = new Map<string, Spending>();
  readonly byInput: InputSpending[] = [];
  total = NO_SPENDING;
  words = { tokens: 0, cost: 0 };
  readonly #journal: JournalReader;
  #model = "(unknown)";
  #models: ReadonlyMap<string, string> | undefined;

  constructor(journal: JournalReader) {
    this.#journal = journal;
  }

  message(entry: MessageEntry): void {
    const { message, id: entryId, timestamp } = entry;
    if (message.role === "user" && BEGINS_INPUT.has(entry.origin)) {
      this.byInput.push({ ...NO_SPENDING, entryId, timestamp });
      return;
    }
    if (message.role !== "assistant") return;
    const { provider = "", model = "(unknown)", usage = NO_USAGE, cost } = entry;
    this.#model = provider === "" ? model : `${provider}/${model}`;
    const spent = { answers: 1, ...spendingOf(comparableUsage(usage, provider), cost) };
    this.spend(this.#model, spent);
    for (const share of sharesOf(causesOf(this.#journal, entry), spent)) this.#share(share);
    for (const part of message.content) if (part.kind === "tool_call") this.#call(part.toolCall.name);
  }

  custom(entry: CustomEntry): void {
    const child = spentBy(entry);
    if (child) {
      const spent = { ...NO_SPENDING, answers: child.turns, usage: child.usage, cost: child.cost };
      add(this.byChild, String((entry.data as JsonObject)["agentId"]), spent);
      // The child's own journal knows which models its children used.
      this.#models ??= modelsOfChildren(this.#journal);
      this.spend(this.#models.get(entry.id) ?? this.#model, spent);
      return;
    }
    const side = sideCost(entry);
    if (!side) return;
    const spent = { answers: 1, ...spendingOf(side.usage, side.cost) };
    add(this.byRole, side.role, spent);
    this.spend(side.model, spent);
  }

  spend(model: string, spent: Spending): void {
    this.total = addSpending(this.total, spent);
    add(this.byModel, model, spent);
    const last = this.byInput.at(-1);
    if (last) this.byInput[this.byInput.length - 1] = { ...last, ...addSpending(last, spent) };
  }

  #share({ tool, tokens, cost }: AnswerShare): void {
    const before = tool === undefined ? this.words : (this.byTool.get(tool) ?? NO_CALLS);
    const after = { ...before, tokens: before.tokens + tokens, cost: before.cost + cost };
    if (tool === undefined) this.words = after;
    else this.byTool.set(tool, { ...NO_CALLS, ...after });
  }

  #call(tool: string): void {
    const before = this.byTool.get(tool) ?? NO_CALLS;
    this.byTool.set(tool, { ...before, calls: before.calls + 1 });
  }
}

const NO_CALLS: ToolSpending = { calls: 0, tokens: 0, cost: 0 };
const BEGINS_INPUT: ReadonlySet<string | undefined> = new Set([undefined, "input", "follow_up"]);

function add(sums: Map<string, Spending>, key: string, spent: Spending): void {
  sums.set(key, addSpending(sums.get(key) ?? NO_SPENDING, spent));
}
