// The cost of a session as shown to users: by model, by tool and by subagent.

import type { JournalReader } from "@lathe/agent/contract";
import { type Spending, sessionCosts } from "@lathe/agent/session";
import { printableLine } from "../list.ts";
import { costText, countOf, dollars, tokens } from "../numbers.ts";
import { table } from "./table.ts";

export function costTable(journal: JournalReader): string {
  const { total, byModel, byTool, words, byChild, byRole } = sessionCosts(journal);
  const { answers, usage } = total;
  const head = `${countOf(answers, "answer")}, ${tokens(usage.inputTokens)} tokens in (${tokens(usage.cacheReadTokens ?? 0)} cached), ${tokens(usage.outputTokens)} out, ${costText(total)}`;
  // Several causes share the price of an answer, so it is known for all of them or for none.
  const share = (cost: number): string => (total.unpriced > 0 && cost === 0 ? "–" : dollars(cost));
  const tools = [...byTool].sort(([, a], [, b]) => b.cost - a.cost || b.tokens - a.tokens);
  const sections = [
    spendingTable("by model", byModel),
    byTool.size === 0
      ? ""
      : table([
          ["by what was answered", "calls", "tokens", "cost"],
          ["your messages", "", tokens(words.tokens), share(words.cost)],
          ...tools.map(([name, spent]) => [
            printableLine(name),
            String(spent.calls),
            tokens(spent.tokens),
            share(spent.cost),
          ]),
        ]),
    spendingTable("by subagent", byChild),
    spendingTable("by side request", byRole),
  ];
  return [head, ...sections.filter((section) => section !== "")].join("\n\n").replaceAll("\n\n\n", "\n\n").trimEnd();
}

function spendingTable(title: string, rows: ReadonlyMap<string, Spending>): string {
  if (rows.size === 0) return "";
  const sorted = [...rows].sort(([, a], [, b]) => b.cost - a.cost || b.answers - a.answers);
  return table([
    [title, "answers", "in", "cached", "out", "cost"],
    ...sorted.map(([name, { answers, usage, cost, unpriced }]) => [
      printableLine(name),
      String(answers),
      tokens(usage.inputTokens),
      tokens(usage.cacheReadTokens ?? 0),
      tokens(usage.outputTokens),
      costText({ cost, unpriced }),
    ]),
  ]);
}
