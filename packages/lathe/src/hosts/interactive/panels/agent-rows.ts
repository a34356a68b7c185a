// The agents of a session as rows: the tree with states and costs, and what the selected agent does.

import type { AgentOverview } from "@lathe/agent/contract";
import {
  cutRow,
  elapsedTime,
  type RenderContext,
  type Row,
  row,
  type Span,
  shorten,
  visibleLine,
  widthOf,
} from "@lathe/tui";
import { countOf, dollars, tokens } from "../../../sessions/numbers.ts";
import { durationText } from "../transcript/duration-text.ts";
import { dim, oneRow, SEPARATOR, span } from "../transcript/view.ts";

/** A name takes at most one third of the row. */
const NAME_SHARE = 3;
/** What an agent does is left out if there are fewer columns than this. */
const LEAST_TEXT = 8;

/** Such as "2 running, 1 parked · $0.12". */
export function agentsTitle(agents: readonly AgentOverview[], { columns }: RenderContext): Row {
  const states = (["running", "idle", "parked", "aborted"] as const).flatMap((state) => {
    const count = agents.filter((agent) => agent.state === state).length;
    return count === 0 ? [] : `${count} ${state}`;
  });
  // The cost of an agent includes its children's.
  const cost = agents.reduce((sum, { parentId, cost: own }) => (parentId === undefined ? sum + own : sum), 0);
  const facts = [states.join(", "), ...(cost > 0 ? [dollars(cost)] : [])].join(SEPARATOR);
  const title = "Agents";
  return cutRow({ spans: [span(title, { bold: true }), dim(`  ${facts}`)] }, columns);
}

/** The `room` rows of the tree around the pointer. */
export function treeRows(
  agents: readonly AgentOverview[],
  at: number,
  room: number,
  context: RenderContext,
): readonly Row[] {
  const most = Math.max(1, room);
  const first = Math.max(0, Math.min(at - Math.floor(most / 2), agents.length - most));
  const shown = agents.slice(first, first + most);
  const depths = new Map(agents.map((agent) => [agent.agentId, depthOf(agent, agents)]));
  const widest = Math.max(...agents.map((agent) => (depths.get(agent.agentId) ?? 0) * 2 + widthOf(nameOf(agent))));
  const nameRoom = Math.min(widest, Math.max(LEAST_TEXT, Math.floor(context.columns / NAME_SHARE)));
  return shown.map((agent, index) => {
    const isCurrent = first + index === at;
    const pointer = span(isCurrent ? `${context.symbols.prompt} ` : "  ", { color: "accent" });
    const indent = "  ".repeat(depths.get(agent.agentId) ?? 0);
    const name = shorten(`${indent}${nameOf(agent)}`, nameRoom, context.symbols.ellipsis);
    const facts = factsOf(agent, context);
    const lead = [
      pointer,
      markOf(agent, context),
      span(` ${name}${" ".repeat(Math.max(0, nameRoom - widthOf(name)))}`, isCurrent ? { bold: true } : {}),
      span(`  ${facts.join(SEPARATOR)}`, { color: "muted" }),
      ...(agent.unread > 0 ? [span(`${SEPARATOR}${agent.unread} unread`, { color: "warning" })] : []),
    ];
    const used = lead.reduce((sum, { text }) => sum + widthOf(text), 0);
    if (context.columns - used < LEAST_TEXT) return cutRow({ spans: lead }, context.columns);
    const text = agent.doing === "" ? (agent.description ?? agent.assignment) : agent.doing;
    return oneRow(context, [...lead, span("  ")], visibleLine(text), { color: "dim" });
  });
}

/** Below the tree: the selected agent's task and the end of its output, always in the same number of rows. */
export function agentDetail(
  agent: AgentOverview,
  lines: readonly string[],
  room: number,
  context: RenderContext,
): readonly Row[] {
  if (room < 2) return [];
  const facts = [
    ...(agent.agent === undefined ? [] : [agent.agent]),
    countOf(agent.requests, "request"),
    `${tokens(agent.tokens)} tokens`,
  ].join(SEPARATOR);
  const end = [dim(`  ${facts}`)];
  const isWide = context.columns >= 60;
  const title = oneRow(context, [], visibleLine(agent.assignment), { color: "muted" }, isWide ? end : []);
  const shown = lines.slice(-(room - 1)).map((line) => row(shorten(`  ${visibleLine(line)}`, context.columns)));
  return [title, ...shown, ...Array.from({ length: room - 1 - shown.length }, () => row(""))];
}

function depthOf(agent: AgentOverview, agents: readonly AgentOverview[]): number {
  const parent = agents.find(({ agentId }) => agentId === agent.parentId);
  return parent ? depthOf(parent, agents) + 1 : 0;
}

/** A child's id begins with its parent's, so below the parent the rest is enough. */
const nameOf = ({ agentId, parentId }: AgentOverview): string =>
  visibleLine(
    parentId !== undefined && agentId.startsWith(`${parentId}.`) ? agentId.slice(parentId.length + 1) : agentId,
  );

function factsOf({ state, status, startedAt, endedAt, cost }: AgentOverview, { now }: RenderContext): string[] {
  const time =
    startedAt === undefined
      ? []
      : [endedAt === undefined ? elapsedTime(now - startedAt) : durationText(endedAt - startedAt)];
  const price = cost > 0 ? [dollars(cost)] : [];
  const word = status === "failed" && state !== "aborted" ? `failed, ${state}` : state;
  return [word, ...time, ...price];
}

function markOf({ state, status }: AgentOverview, { symbols }: RenderContext): Span {
  if (state === "running") return span(symbols.running, { color: "accent" });
  if (state === "aborted" || status === "failed") return span(symbols.failure, { color: "error" });
  return state === "parked" ? dim(symbols.pending) : span(symbols.success, { color: "success" });
}
