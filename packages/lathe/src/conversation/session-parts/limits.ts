// The limits of a run: turns, tool calls, cost and time. By default, what earlier runs of the session spent does not
// count.

import type { BudgetConfig, Session } from "@lathe/agent";
import { usageError } from "../../platform/usage/exit.ts";
import type { SessionPart } from "../session-contract.ts";
import type { SessionBase } from "./base.ts";

type Needs = Pick<SessionBase, "workspace" | "request">;

export function limitsPart(needs: Needs): SessionPart {
  return {
    name: "limits",
    ready: (session) => {
      session.config.budget = budgetOf(needs, session);
    },
  };
}

function budgetOf({ workspace, request }: Needs, { spent, usage }: Pick<Session, "spent" | "usage">): BudgetConfig {
  const { limits, model } = request;
  const turns = limits.maxTurns ?? workspace.settings["limits.maxTurns"];
  const calls = limits.maxCalls ?? workspace.settings["limits.maxCalls"];
  const usd = limits.maxCost ?? workspace.settings["limits.maxCost"];
  if (limits.maxCost !== undefined && !model.info?.cost && model.provider !== "practice") {
    throw usageError(
      `The price of ${model.provider}/${model.id} is not known, so --max-cost cannot be enforced. Use --max-turns, or give its cost in models.yml.`,
    );
  }
  const before = limits.ofSession ? NOTHING : { ...spent, usd: spent.usd + usage.uncertain.usd };
  return {
    ...(turns > 0 ? { turns: before.turns + turns } : {}),
    ...(calls > 0 ? { calls: before.calls + calls } : {}),
    ...(usd > 0 ? { usd: before.usd + usd } : {}),
    ...(limits.maxTimeMs === undefined ? {} : { wallMs: before.wallMs + limits.maxTimeMs }),
  };
}

const NOTHING = { turns: 0, calls: 0, usd: 0, wallMs: 0 };
