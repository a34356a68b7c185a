// Draws a flowchart as boxes and lines. The library draws it; what the drawing does not show clearly is listed below
// it, and a drawing that lacks a node is refused.

import { CannotParse } from "../types.ts";
import type { Flowchart, FlowEdge, FlowGroup } from "./flowchart.ts";
import { LabelCells, type MarkedLabel } from "./label-cells.ts";
import { Drawing } from "./trace-edges.ts";

export function drawFlowchart(chart: Flowchart, draw: (text: string, isFinal: boolean) => string): string {
  const { nodes, edges } = chart;
  if (nodes.size === 0) throw new CannotParse("the flowchart has no nodes");
  if (nodes.size + edges.length > LabelCells.most)
    throw new CannotParse(`it has more than ${LabelCells.most} nodes and edges; draw a part of it`);
  const cells = new LabelCells();
  const ids = [...nodes.keys()];
  const labels = [...nodes.values()].map(({ label }) => cells.mark(label || " ", true));
  const edgeLabels = edges.map(({ label }) => (label === "" ? undefined : cells.mark(label, false)));
  const ends = edges.map(({ from, to }) => [ids.indexOf(nodeOf(from, chart)), ids.indexOf(nodeOf(to, chart))] as const);
  const titles = new Map([...chart.groups].map(([id, { label }]) => [id, cells.mark(label, true)] as const));
  const marks = { ids, labels, titles };
  const edgeLines = edges.flatMap(({ link }, at) => {
    const label = edgeLabels[at];
    const [from, to] = ends[at] ?? [-1, -1];
    // For a line from a box to itself, or a second one between two boxes, the library often finds no path; the list
    // below mentions them.
    const first = ends.findIndex((one) => one.includes(from) && one.includes(to) && one[0] !== one[1]);
    if (from === to || first < at) return [];
    return `n${from} ${link}${label ? `|${label.lines.join("<br>")}|` : ""} n${to}`;
  });
  const { text, drawing } = firstWhole(chart, memberLines(chart.members, chart, marks), edgeLines, (one) => {
    const drawing = new Drawing(draw(one, false), labels);
    return labels.every((label) => drawing.shows(label)) ? drawing : undefined;
  });
  const unclear = edges.filter((edge, at) => {
    const label = edgeLabels[at];
    const [from, to] = ends[at] ?? [-1, -1];
    return isAmbiguous(edge, chart) || (label && !drawing.shows(label)) || !drawing.connects(from, to);
  });
  const misplaced = [...chart.groups.values()].flatMap((group) => misplacedIn(group, chart, drawing, marks));
  // The checks used line characters that cannot be mistaken for text; the requested form has the same layout.
  const shown = cells.restore(draw(text, true)).replace(/[ \t]+$/gm, "");
  const list = unclear.map((edge) => `  ${sentenceOf(edge, chart)}`);
  const notes = [...(list.length > 0 ? ["Links that the drawing does not show clearly:", ...list] : []), ...misplaced];
  return notes.length === 0 ? shown : `${shown}\n\n${notes.join("\n")}`;
}

/**
 * For some lines the library searches for a path forever, and it loses some nodes: then another order or direction
 * often works.
 */
function firstWhole(
  { direction }: Flowchart,
  members: readonly string[],
  edges: readonly string[],
  look: (text: string) => Drawing | undefined,
): { readonly text: string; readonly drawing: Drawing } {
  const turned = direction === "LR" || direction === "RL" ? "TD" : "LR";
  let last: unknown;
  for (const way of [direction, turned]) {
    for (const order of [edges, edges.toReversed()]) {
      for (const nodes of [
        members,
        members.some((line) => line.startsWith("subgraph")) ? members : members.toReversed(),
      ]) {
        const text = [`flowchart ${way}`, ...nodes, ...order].join("\n");
        try {
          const drawing = look(text);
          if (drawing) return { text, drawing };
        } catch (error) {
          last = error;
        }
      }
    }
  }
  const why = last instanceof Error ? ` (${last.message})` : "";
  throw new CannotParse(`no drawing of it shows every node${why}; draw a smaller part`);
}

interface Marks {
  readonly ids: readonly string[];
  readonly labels: readonly MarkedLabel[];
  readonly titles: ReadonlyMap<string, MarkedLabel>;
}

/** The library's frames are rectangles around their nodes, and may contain others as well. */
function misplacedIn(group: FlowGroup, chart: Flowchart, drawing: Drawing, { ids, titles }: Marks): string[] {
  const title = titles.get(group.id);
  if (title === undefined || group.members.length === 0) return [];
  const inside = new Set(nodesIn(group, chart));
  const strangers = ids.filter((id, at) => !inside.has(id) && drawing.isFramed(at, title));
  const missing = ids.filter((id, at) => inside.has(id) && !drawing.isFramed(at, title));
  const names = (list: readonly string[]): string => list.map((id) => nameOf(id, chart)).join(", ");
  return [
    ...(strangers.length > 0 ? [`Not part of "${group.label}", although drawn inside it: ${names(strangers)}`] : []),
    ...(missing.length > 0 ? [`Part of "${group.label}", although not drawn inside it: ${names(missing)}`] : []),
  ];
}

function nodesIn({ members }: FlowGroup, chart: Flowchart): string[] {
  return members.flatMap((id) => {
    const group = chart.groups.get(id);
    return group === undefined ? [id] : nodesIn(group, chart);
  });
}

const nameOf = (id: string, { nodes, groups }: Flowchart): string =>
  (groups.get(id)?.label ?? nodes.get(id)?.label ?? id).replace(/<br\s*\/?>/gi, " ");

/** Lines between the same two boxes overlap; a group has no box of its own. */
function isAmbiguous({ from, to }: FlowEdge, { edges, groups }: Flowchart): boolean {
  const between = edges.filter((one) => (one.from === from && one.to === to) || (one.from === to && one.to === from));
  return from === to || between.length > 1 || groups.has(from) || groups.has(to);
}

function sentenceOf({ from, to, label, link }: FlowEdge, chart: Flowchart): string {
  const said = label === "" ? "" : `: ${label.replace(/<br\s*\/?>/gi, " ")}`;
  return `${nameOf(from, chart)} ${link} ${nameOf(to, chart)}${said}`;
}

/** A link to a group is drawn to its first node. */
function nodeOf(id: string, chart: Flowchart): string {
  const first = chart.groups.get(id)?.members[0];
  return first === undefined ? id : nodeOf(first, chart);
}

function memberLines(members: readonly string[], chart: Flowchart, marks: Marks): string[] {
  const { ids, labels, titles } = marks;
  const groupIds = [...chart.groups.keys()];
  return members.flatMap((id) => {
    const group = chart.groups.get(id);
    if (group) {
      const turn = group.direction === undefined ? [] : [`direction ${group.direction}`];
      const title = titles.get(id)?.lines.join(" ");
      return [
        `subgraph g${groupIds.indexOf(id)} [${title}]`,
        ...turn,
        ...memberLines(group.members, chart, marks),
        "end",
      ];
    }
    const at = ids.indexOf(id);
    const [open, close] = chart.nodes.get(id)?.shape ?? ["[", "]"];
    return [`n${at}${open}${labels[at]?.lines.join("<br>")}${close}`];
  });
}
