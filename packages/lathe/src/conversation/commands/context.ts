// Commands about what the model still sees of the session, and what the session cost.

import type { CompactionEntry } from "@lathe/agent/contract";
import { usageError } from "../../platform/usage/exit.ts";
import type { SlashCommand } from "./command.ts";

export const compact: SlashCommand = {
  name: "compact",
  arguments: "[what to focus on]",
  // The command stops running work first.
  whileWorking: true,
  description: "summarize older messages to make room",
  run: async (conversation, focus, view) => {
    const before = conversation.session.contextTokens;
    const entry = await conversation.compact(focus === "" ? undefined : focus);
    // A warning has already said why.
    if ("problem" in entry) return;
    const { summarized, kept } = (entry.details ?? {}) as { summarized?: number; kept?: number };
    const done = waysToCompact(entry);
    const after = conversation.session.contextTokens;
    const messages = summarized === 1 ? "1 message" : `${summarized ?? 0} messages`;
    view.line(`Compacted: ${messages} ${done}, ${kept ?? 0} of yours kept word for word.`, "dim");
    view.line(`About ${before} tokens before, ${after} now. Undo: /uncompact`, "dim");
  },
};

function waysToCompact({ preserveData }: CompactionEntry): string {
  if (preserveData?.snapcompact) return "rendered as images";
  return preserveData?.openaiRemoteCompaction ? "compacted by the provider" : "summarized";
}

export const handoff: SlashCommand = {
  name: "handoff",
  arguments: "[what to focus on]",
  // The command stops running work first.
  whileWorking: true,
  description: "start a new session from a summary of this one",
  run: async (conversation, focus, view) => {
    if (conversation.session.journal.context.messages.length >= 2)
      view.line("Generating handoff… (interrupt to cancel)", "dim");
    const document = await conversation.handoff(focus === "" ? undefined : focus);
    view.line(document === undefined ? "Handoff cancelled" : "New session started with handoff context", "dim");
  },
};

export const uncompact: SlashCommand = {
  name: "uncompact",
  description: "restore the full history",
  run: async (conversation, _argument, view) => {
    if (!(await conversation.restoreHistory())) throw usageError("Nothing was compacted on this branch.");
    view.line(`The full history is back: about ${conversation.session.contextTokens} tokens.`, "dim");
  },
};

export const context: SlashCommand = {
  name: "context",
  arguments: "[all]",
  description: "show what fills the context",
  whileWorking: true,
  complete: (_conversation, typed) => ["all"].filter((word) => word.startsWith(typed)),
  run: async ({ open }, argument, view) => {
    if (argument !== "" && argument !== "all")
      throw usageError(`/context takes no argument, or "all" for every part, but got "${argument}".`);
    const { contextReport } = await import("../context-report.ts");
    const { contextTable } = await import("../../sessions/tables/context-table.ts");
    const { columns } = view;
    const shape = { all: argument === "all", ...(columns === undefined ? {} : { columns }) };
    view.line(contextTable(await contextReport(open), shape).trimEnd());
  },
};

export const cost: SlashCommand = {
  name: "cost",
  description: "show what this session has cost, by model and by tool",
  whileWorking: true,
  run: async ({ session }, _argument, view) => {
    const { costTable } = await import("../../sessions/tables/cost-table.ts");
    view.line(costTable(session.journal));
  },
};
