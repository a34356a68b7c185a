// Parses a mermaid flowchart into nodes, edges and groups. It supports what models write: several statements on a line,
// links without spaces, labels in quotes. Anything else is an error that names its line.

import { CannotParse } from "../types.ts";

interface FlowNode {
  readonly label: string;
  /** The brackets around the label. */
  readonly shape: readonly [string, string];
}

export interface FlowEdge {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly link: string;
}

export interface FlowGroup {
  readonly id: string;
  readonly label: string;
  direction?: string;
  /** Ids of nodes and groups, in order of appearance. */
  readonly members: string[];
}

export interface Flowchart {
  readonly direction: string;
  readonly nodes: Map<string, FlowNode>;
  readonly groups: Map<string, FlowGroup>;
  readonly edges: FlowEdge[];
  /** What belongs to no group. */
  readonly members: string[];
}

interface Statement {
  readonly text: string;
  readonly line: number;
}

/** After the direction, the first statement may be on the same line. */
export const FLOWCHART_HEADER =
  /^(?:graph|flowchart(?:-elk)?)(?:\s+(TB|TD|BT|RL|LR)(?:[ \t]+(?=[^\s;])|\s*(?:;|\n|$))|\s*(?:;|\n|$))/i;

const RECTANGLE = ["[", "]"] as const;
/** Longer brackets first. Shapes that the library cannot draw become rectangles. */
const SHAPES: readonly { readonly open: string; readonly close: string; readonly drawn: readonly [string, string] }[] =
  [
    { open: "(((", close: ")))", drawn: ["(((", ")))"] },
    { open: "((", close: "))", drawn: ["((", "))"] },
    { open: "([", close: "])", drawn: ["([", "])"] },
    { open: "[[", close: "]]", drawn: ["[[", "]]"] },
    { open: "[(", close: ")]", drawn: ["[(", ")]"] },
    { open: "[/", close: "/]", drawn: RECTANGLE },
    { open: "[/", close: "\\]", drawn: ["[/", "\\]"] },
    { open: "[\\", close: "\\]", drawn: RECTANGLE },
    { open: "[\\", close: "/]", drawn: ["[\\", "/]"] },
    { open: "{{", close: "}}", drawn: ["{{", "}}"] },
    { open: "[", close: "]", drawn: RECTANGLE },
    { open: "(", close: ")", drawn: ["(", ")"] },
    { open: "{", close: "}", drawn: ["{", "}"] },
    { open: ">", close: "]", drawn: [">", "]"] },
  ];

const ID = /^[\p{L}\p{N}_]+(?:[-.][\p{L}\p{N}_]+)*/u;
const LINK = /^(?:[\p{L}\p{N}_]+@)?([xo<]?)(--+[-xo>]|==+[=xo>]|-\.+-[xo>]?|~~~+)(?:\s*\|([^|]*)\|)?/u;
const LINK_WITH_TEXT = /^([xo<]?)(--|==|-\.)(?![-=.])\s*(\S.*?)\s*(--+[-xo>]|==+[=xo>]|\.+-[xo>]?)/;
/** These only affect how it looks in a browser. */
const IGNORED = /^(?:classDef|class|style|linkStyle|click|accTitle|accDescr|title)\b/;

/** Parses the text after its header, without comments; lines are counted from `firstLine`. */
export function readFlowchart(text: string, firstLine: number): Flowchart {
  const header = FLOWCHART_HEADER.exec(text);
  const chart: Flowchart = {
    direction: (header?.[1] ?? "TD").toUpperCase(),
    nodes: new Map(),
    groups: new Map(),
    edges: [],
    members: [],
  };
  const open: { readonly group: FlowGroup; readonly line: number }[] = [];
  const body = text.slice(header?.[0].length ?? 0);
  for (const statement of splitStatements(body, firstLine + (header?.[0].endsWith("\n") ? 1 : 0))) {
    const { text: said, line } = statement;
    if (IGNORED.test(said)) continue;
    const direction = /^direction\s+(TB|TD|BT|RL|LR)$/i.exec(said)?.[1]?.toUpperCase();
    const within = open.at(-1)?.group;
    if (said === "end") {
      if (open.pop() === undefined) throw new CannotParse(`line ${line}: "end" without a subgraph`);
    } else if (direction !== undefined) {
      if (within) within.direction = direction;
    } else if (/^subgraph\b/.test(said)) {
      const group = readGroup(said.slice("subgraph".length).trim(), chart);
      (within?.members ?? chart.members).push(group.id);
      open.push({ group, line });
    } else readChain(statement, chart, within);
  }
  const left = open.at(-1);
  if (left) throw new CannotParse(`line ${left.line}: the subgraph "${left.group.label}" has no "end"`);
  return chart;
}

/** A statement ends at a newline or semicolon, outside quotes and brackets. */
function* splitStatements(text: string, firstLine: number): Generator<Statement> {
  let line = firstLine;
  let begun = line;
  let said = "";
  let depth = 0;
  let isQuoted = false;
  for (const char of `${text}\n`) {
    if (char === '"') isQuoted = !isQuoted;
    else if (!isQuoted && "[({".includes(char)) depth++;
    else if (!isQuoted && "])}".includes(char)) depth = Math.max(0, depth - 1);
    const ends = !isQuoted && (char === "\n" || (char === ";" && depth === 0));
    if (ends) {
      if (said.trim() !== "") yield { text: said.trim(), line: begun };
      said = "";
      depth = 0;
    } else said += char === "\n" ? " " : char;
    if (char === "\n") line++;
    if (said.trim() === "") begun = line;
  }
  if (said.trim() !== "") throw new CannotParse(`line ${begun}: a quote is not closed`);
}

function readGroup(said: string, chart: Flowchart): FlowGroup {
  const [, id, , label] = /^([^\s[]+)\s*(\[(.+)\])?$/.exec(said) ?? [];
  const group: FlowGroup = {
    id: id ?? (said === "" ? `group ${chart.groups.size + 1}` : said),
    label: plainLabel(label ?? said),
    members: [],
  };
  chart.groups.set(group.id, group);
  return group;
}

/** Alternating nodes and links: `a & b --> c -- text --> d`. */
function readChain({ text, line }: Statement, chart: Flowchart, within: FlowGroup | undefined): void {
  let rest = text;
  const fail = (): never => {
    if (rest.trim() === "") throw new CannotParse(`line ${line}: a node is missing at the end of "${text}"`);
    throw new CannotParse(`line ${line}: "${rest}" is not understood`);
  };
  const readNodes = (): string[] => {
    const ids: string[] = [];
    do {
      rest = rest.replace(/^&?\s*/, "");
      const id = ID.exec(rest)?.[0] ?? fail();
      rest = rest.slice(id.length);
      const node = readShape();
      placeNode(id, node, chart, within);
      rest = rest.replace(/^:::[\w-]+/, "").trimStart();
      ids.push(id);
    } while (rest.startsWith("&"));
    return ids;
  };
  const readShape = (): FlowNode | undefined => {
    const attributes = /^@\{([^}]*)\}/.exec(rest);
    if (attributes) {
      rest = rest.slice(attributes[0].length);
      const label = /\blabel\s*:\s*("[^"]*"|[^,}]*)/.exec(attributes[1] ?? "")?.[1];
      return label === undefined ? undefined : { label: plainLabel(label), shape: RECTANGLE };
    }
    for (const { open, close, drawn } of SHAPES) {
      if (!rest.startsWith(open)) continue;
      const from = rest.startsWith('"', open.length) ? rest.indexOf('"', open.length + 1) + 1 : open.length;
      const end = rest.indexOf(close, from);
      // A quoted label ends right before its bracket.
      if (end < 0 || (from > open.length && rest.slice(from, end).trim() !== "")) continue;
      const label = plainLabel(rest.slice(open.length, end));
      rest = rest.slice(end + close.length);
      return { label, shape: drawn };
    }
    return /^[[({>]/.test(rest) ? fail() : undefined;
  };
  let from = readNodes();
  while (rest !== "") {
    const plain = LINK.exec(rest);
    const long = plain ? undefined : LINK_WITH_TEXT.exec(rest);
    const found = plain ?? long ?? fail();
    rest = rest.slice(found[0].length).trimStart();
    const [, start = "", shaft = ""] = found;
    const label = plainLabel((plain ? plain[3] : long?.[3]) ?? "");
    const link = linkOf(start, `${shaft}${long?.[4] ?? ""}`);
    const to = readNodes();
    if (link !== undefined)
      for (const one of from) for (const other of to) chart.edges.push({ from: one, to: other, label, link });
    from = to;
  }
}

/** A node belongs to the first group that names it; a later label replaces the earlier one. */
function placeNode(id: string, node: FlowNode | undefined, chart: Flowchart, within: FlowGroup | undefined): void {
  if (chart.groups.has(id)) return;
  const known = chart.nodes.get(id);
  if (known === undefined || node !== undefined) chart.nodes.set(id, node ?? { label: id, shape: RECTANGLE });
  if (within) {
    const isElsewhere = [...chart.groups.values()].some(({ members }) => members.includes(id));
    if (isElsewhere) return;
    const at = chart.members.indexOf(id);
    if (at >= 0) chart.members.splice(at, 1);
    within.members.push(id);
  } else if (known === undefined) chart.members.push(id);
}

/** In the drawing library's syntax; undefined for an invisible link. */
function linkOf(start: string, shaft: string): string | undefined {
  if (shaft.startsWith("~")) return undefined;
  const style = shaft.includes("=") ? "=" : shaft.includes(".") ? "." : "-";
  const hasHead = /[>xo]$/.test(shaft);
  const tail = start === "" ? "" : "<";
  if (style === ".") return `${tail}-.-${hasHead ? ">" : ""}`;
  return `${tail}${style.repeat(2)}${hasHead ? ">" : style}`;
}

const ENTITIES: Readonly<Record<string, string>> = { quot: '"', amp: "&", lt: "<", gt: ">", nbsp: " " };

function plainLabel(label: string): string {
  return label
    .trim()
    .replace(/^"`?([\s\S]*?)`?"$/, "$1")
    .replace(/[#&](\d+|\w+);/g, (whole, name: string) =>
      /^\d+$/.test(name) ? String.fromCodePoint(Math.min(Number(name), 0x10ffff)) : (ENTITIES[name] ?? whole),
    )
    .replace(/\s+/g, " ")
    .trim();
}
