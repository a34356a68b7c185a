// The arguments of a worker: the leader's options, its current model and mode, and a share of its remaining budget.

import type { BudgetConfig, Session } from "@lathe/agent";
import type { Conversation } from "../../conversation/conversation.ts";
import type { CliOptions } from "../../platform/options/option-table.ts";
import type { WorkerLimits } from "./state.ts";

/** Options that workers inherit. Model and mode are not among them: workers get the leader's current ones. */
const INHERITED = [
  "provider",
  "models",
  "smol-model",
  "slow-model",
  "plan-model",
  "profile",
  "api-key",
  "base-url",
  "tools",
  "allow",
  "ask",
  "deny",
  "permission-command",
  "sandbox",
  "no-pty",
  "system-prompt",
  "append-system-prompt",
  "extension",
  "config",
  "add-dir",
  "check",
] as const;

export function workerArgs(
  options: CliOptions,
  { model, open }: Pick<Conversation, "model" | "open">,
  { view, limits }: { readonly view: string; readonly limits: WorkerLimits },
): readonly string[] {
  const given = INHERITED.flatMap((name) => words(name, (options as Readonly<Record<string, unknown>>)[name]));
  const effort = open.session.config.reasoningEffort;
  return [
    ...given,
    `--model=${model.provider}/${model.id}`,
    ...(effort === undefined ? [] : [`--thinking=${effort}`]),
    `--permission-mode=${open.permissions.mode}`,
    `--worktree=${view}`,
    ...(limits.usd === undefined ? [] : [`--max-cost=${limits.usd}`]),
    ...(limits.turns === undefined ? [] : [`--max-turns=${limits.turns}`]),
    ...(limits.calls === undefined ? [] : [`--max-calls=${limits.calls}`]),
    ...(limits.seconds === undefined ? [] : [`--max-time=${limits.seconds}s`]),
  ];
}

function words(name: string, value: unknown): readonly string[] {
  if (value === undefined || value === false) return [];
  if (value === true) return [`--${name}`];
  return (Array.isArray(value) ? value : [value]).map((one) => `--${name}=${one}`);
}

/** The remaining budget, divided among the workers and the leader. */
export function workerLimits({ config, spent, usage }: Session, workers: number): WorkerLimits {
  const { usd, turns, calls, wallMs } = config.budget ?? {};
  const share = (limit: number, used: number): number => Math.max(0, limit - used) / (workers + 1);
  return {
    ...(usd ? { usd: Math.floor(share(usd, spent.usd + usage.uncertain.usd) * 1e6) / 1e6 } : {}),
    ...(turns ? { turns: Math.floor(share(turns, spent.turns)) } : {}),
    ...(calls ? { calls: Math.floor(share(calls, spent.calls)) } : {}),
    ...(wallMs ? { seconds: Math.floor(share(wallMs, spent.wallMs) / 1000) } : {}),
  };
}

/** The option whose remaining limit is too small to share; undefined if all suffice. */
export function exhaustedLimit({ usd, turns, calls, seconds }: WorkerLimits): string | undefined {
  if (usd !== undefined && usd <= 0) return "--max-cost";
  if (turns !== undefined && turns < 1) return "--max-turns";
  if (calls !== undefined && calls < 1) return "--max-calls";
  return seconds !== undefined && seconds < 1 ? "--max-time" : undefined;
}

/**
 * The leader's limits after giving a share to a worker (sign -1) or taking the rest back (1). Time is not shared out:
 * it passes for both.
 */
export function withShare(budget: BudgetConfig, { usd, turns, calls }: WorkerLimits, sign: 1 | -1): BudgetConfig {
  return {
    ...budget,
    ...(budget.usd && usd ? { usd: budget.usd + sign * usd } : {}),
    ...(budget.turns && turns ? { turns: budget.turns + sign * turns } : {}),
    ...(budget.calls && calls ? { calls: budget.calls + sign * calls } : {}),
  };
}
