// The status line at the bottom: model, context, cost, folder and permission mode. On a narrow terminal the least
// important parts are dropped first, each as a whole.

import { type Component, type RenderContext, type Row, type Span, visibleLine, widthOf } from "@lathe/tui";
import { STATUS_PARTS } from "../../../config/settings/terminal-settings.ts";
import { dollars, tokens } from "../../../sessions/numbers.ts";
import { type ContextFill, contextBar } from "./context-bar.ts";

export interface StatusFacts extends ContextFill {
  /** The form is `provider/model`. */
  readonly model: string;
  readonly effort?: string | undefined;
  /** In US dollars. */
  readonly cost: number;
  /** The path as shown, with ~ for the home folder. */
  readonly cwd: string;
  /** The view that the run works in. */
  readonly view?: string | undefined;
  readonly branch?: string | undefined;
  readonly permissionMode: string;
  readonly isSandboxed?: boolean | undefined;
  /** What checks found about the last work. */
  readonly verdict?: string | undefined;
  /** The state of the session's workflow. */
  readonly workflow?: string | undefined;
  readonly jobs: number;
  readonly children: number;
}

export type StatusPart = (typeof STATUS_PARTS)[number];

/** Parts at the right edge. */
const RIGHT: ReadonlySet<StatusPart> = new Set(["model", "context", "cost"]);

/** What a narrow terminal drops, first to last: a part is shortened, or removed. */
const GIVE_UP: readonly (readonly [StatusPart, "short" | "gone"])[] = [
  ["context", "short"],
  ["path", "short"],
  ["model", "short"],
  ["path", "gone"],
  ["branch", "gone"],
  ["view", "gone"],
  ["cost", "gone"],
  ["agents", "gone"],
  ["jobs", "gone"],
  ["verdict", "gone"],
  ["workflow", "gone"],
  ["context", "gone"],
  ["mode", "gone"],
];

/** The least space between the left and the right side. */
const GAP = 2;
const SEPARATOR: Span = { text: " · ", style: { color: "statusLineSep" } };

export class StatusLine implements Component {
  readonly #facts: () => StatusFacts;
  readonly #parts: readonly StatusPart[];
  #last: { readonly key: string; readonly rows: readonly Row[] } = { key: "", rows: [] };

  constructor(facts: () => StatusFacts, parts: readonly StatusPart[] = STATUS_PARTS) {
    this.#facts = facts;
    this.#parts = parts;
  }

  render(context: RenderContext): readonly Row[] {
    const facts = this.#facts();
    const key = JSON.stringify([facts, context.columns, context.symbols.barFull]);
    if (key !== this.#last.key) this.#last = { key, rows: [statusRow(facts, this.#parts, context)] };
    return this.#last.rows;
  }
}

type Length = "whole" | "short" | "gone";

function statusRow(facts: StatusFacts, parts: readonly StatusPart[], context: RenderContext): Row {
  const lengths = new Map<StatusPart, Length>();
  for (let next = 0; ; next++) {
    const sides = [false, true].map((isRight) =>
      joinParts(
        parts.filter((part) => RIGHT.has(part) === isRight).map((part) => partOf(part, facts, lengths, context)),
      ),
    );
    const [left = [], right = []] = sides;
    const between = context.columns - widthIn(left) - widthIn(right);
    const fits = between >= (left.length > 0 && right.length > 0 ? GAP : 0);
    const gap = left.length > 0 && right.length > 0 ? " ".repeat(Math.max(0, between)) : "";
    if (fits) return { spans: [...left, ...(gap === "" ? [] : [{ text: gap }]), ...right] };
    const giveUp = GIVE_UP[next];
    if (!giveUp) return { spans: [] };
    lengths.set(...giveUp);
  }
}

const widthIn = (spans: readonly Span[]): number => spans.reduce((sum, { text }) => sum + widthOf(text), 0);

const joinParts = (parts: readonly (readonly Span[])[]): Span[] =>
  parts.filter((part) => part.length > 0).flatMap((part, i) => (i === 0 ? part : [SEPARATOR, ...part]));

function partOf(
  part: StatusPart,
  facts: StatusFacts,
  lengths: ReadonlyMap<StatusPart, Length>,
  context: RenderContext,
): readonly Span[] {
  const length = lengths.get(part) ?? "whole";
  return length === "gone" ? [] : PARTS[part](facts, length === "short", context).filter(({ text }) => text !== "");
}

type PartSpans = (facts: StatusFacts, isShort: boolean, context: RenderContext) => readonly Span[];

const spanOf = (text: string, color: string): Span => ({ text: visibleLine(text), style: { color } });
const countOf = (count: number, one: string): string => (count === 0 ? "" : `${count} ${one}${count === 1 ? "" : "s"}`);

const MODE_COLOURS: Readonly<Record<string, string>> = { full: "warning", plan: "accent" };

const PARTS: Readonly<Record<StatusPart, PartSpans>> = {
  mode: ({ permissionMode, isSandboxed }) => [
    spanOf(permissionMode, MODE_COLOURS[permissionMode] ?? "muted"),
    ...(isSandboxed ? [{ text: " " }, spanOf("sandbox", "success")] : []),
  ],
  path: ({ cwd }, isShort) => [spanOf(isShort ? cwd.slice(cwd.lastIndexOf("/") + 1) : cwd, "statusLinePath")],
  view: ({ view }) => (view === undefined ? [] : [spanOf(`copy ${view}`, "accent")]),
  branch: ({ branch }, _isShort, { symbols }) =>
    branch === undefined || branch === "" ? [] : [spanOf(`${symbols.branch} ${branch}`, "statusLineGitClean")],
  verdict: ({ verdict }) =>
    verdict === undefined ? [] : [spanOf(verdict, verdict === "verified" ? "success" : "warning")],
  workflow: ({ workflow }) => (workflow === undefined ? [] : [spanOf(workflow, "accent")]),
  jobs: ({ jobs }) => [spanOf(countOf(jobs, "job"), "statusLineOutput")],
  agents: ({ children }) => [spanOf(countOf(children, "agent"), "statusLineSubagents")],
  model: ({ model, effort }, isShort) => {
    const name = spanOf(model.slice(model.indexOf("/") + 1), "statusLineModel");
    return isShort || effort === undefined || effort === "" ? [name] : [name, { text: " " }, spanOf(effort, "muted")];
  },
  context: (facts, isShort, { symbols }) => {
    const { contextTokens, contextWindow, compactsAt = contextWindow } = facts;
    if (contextWindow === 0) return contextTokens === 0 ? [] : [spanOf(tokens(contextTokens), "statusLineContext")];
    const share = `${Math.round((contextTokens / contextWindow) * 100)}%`;
    const color = contextTokens >= 0.9 * compactsAt ? "warning" : "statusLineContext";
    if (isShort) return [spanOf(share, color)];
    return [...contextBar(facts, symbols, color), { text: " " }, spanOf(`${share} of ${tokens(contextWindow)}`, color)];
  },
  cost: ({ cost }) => (cost > 0 ? [spanOf(dollars(cost), "statusLineCost")] : []),
};
