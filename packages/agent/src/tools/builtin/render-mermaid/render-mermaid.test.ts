import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bench, toolBench } from "../../../../test/call-tool.ts";
import { Parser } from "../../../files/parser/parser.ts";
import { renderMermaidTool } from "./index.ts";

const isLong = process.env["LATHE_LONG"] !== undefined;

let bench: Bench;
const parser = new Parser();
beforeAll(async () => {
  bench = await toolBench();
  bench.services.parser = parser;
});
afterAll(async () => {
  await parser.close();
  await bench.close();
});

async function draw(mermaid: string, config?: object): Promise<string> {
  const { content } = await bench.call(renderMermaidTool, { mermaid, ...(config && { config }) });
  return (content[0] as { text: string }).text;
}
const failure = (mermaid: string) =>
  draw(mermaid).then(
    (text) => `drawn: ${text}`,
    (error: Error) => error.message,
  );

/** The drawing without the notes below it. */
const picture = (text: string) => text.split("\n\nSaved artifact")[0]!.split("\n\nLinks that")[0]!;

describe("render_mermaid", () => {
  it("T-MMD-1 G-89 `graph TD; A-->B` shows two boxes and an arrow, and the artifact is equal to what is shown", async () => {
    const text = await draw("graph TD; A-->B");
    expect(picture(text).split("\n")).toEqual(expect.arrayContaining(["│ A │", "└─┬─┘", "  ▼", "┌───┐", "│ B │"]));
    const id = /Saved artifact: artifact:\/\/(\S+)$/.exec(text)?.[1];
    expect(id).toBeDefined();
    expect(Buffer.concat(bench.artifacts[Number(id)]!).toString()).toBe(picture(text));
    expect(picture(await draw("graph TD\nA-->B"))).toBe(picture(text));
    expect(picture(await draw("graph TD A-->B"))).toBe(picture(text));
  });

  it("T-MMD-1 G-89 useAscii is plain ASCII, padding is floored, and below zero it counts as zero", async () => {
    const text = await draw("flowchart LR\n a[Start] -- yes --> b{ok?}\n b -.-> c((end))", { useAscii: true });
    expect(text).toMatch(/^[\x20-\x7e\n]+$/);
    const tight = await draw("flowchart LR\na-->b", { paddingX: -4, boxBorderPadding: 0 });
    const floored = await draw("flowchart LR\na-->b", { paddingX: 0.9, boxBorderPadding: 0.5 });
    expect(floored.replace(/\d+$/, "")).toBe(tight.replace(/\d+$/, ""));
    expect(tight.split("\n")[0]!.length).toBeLessThan((await draw("flowchart LR\na-->b")).split("\n")[0]!.length);
  });

  it("T-MMD-1 what is not understood is named with its line, and other kinds by their name", async () => {
    expect(await failure("flowchart TD\n  a --> b\n  c ((( d")).toBe(
      'The diagram was not drawn: line 3: "((( d" is not understood.',
    );
    expect(await failure("flowchart TD\n  a -->")).toBe(
      'The diagram was not drawn: line 2: a node is missing at the end of "a -->".',
    );
    expect(await failure("---\ntitle: x\n---\nsequenceDiagram\n  A->>B: hi\n  what is this")).toContain(
      'line 6: "what is this" is not understood',
    );
    expect(await failure("flowchart TD\nsubgraph one\na-->b")).toContain('line 2: the subgraph "one" has no "end"');
    for (const kind of ["gantt", "pie", "mindmap"])
      expect(await failure(`${kind}\n  x: 1`)).toContain(
        `line 1: "${kind}" cannot be drawn as text; it can be flowchart`,
      );
    expect(await failure(" ")).toContain("the diagram is empty");
  });

  it("T-MMD-1 labels with brackets, wide characters and line breaks are drawn as they are", async () => {
    const text = await draw(
      'flowchart LR\nA["x[0] | (y)"] -->|見る| B[日本語]\nB --> C[one<br/>two]\nC --> D["#quot;q#quot; 5 #gt; 4"]',
    );
    for (const label of ["x[0] | (y)", "見る", "│ 日本語 ├", "one", "two", '"q" 5 > 4']) expect(text).toContain(label);
    expect(text).not.toMatch(/[\ue000-\uf8ff]/);
  });

  it("T-MMD-1 links that lie upon each other, and groups that a frame cannot show, are listed", async () => {
    const text = await draw("flowchart TD\nA-->|go|B\nB-->|back|A\nA-->A\nsubgraph S[Part]\n c-->d\nend\nS-->e");
    expect(text).toContain(
      "Links that the drawing does not show clearly:\n  A --> B: go\n  B --> A: back\n  A --> A\n  Part --> e",
    );
  });

  it("T-MMD-1 sequence, state, class, ER and xychart diagrams are drawn", async () => {
    expect(await draw("sequenceDiagram\n participant A as Alice\n A->>Bob: hello\n Note over A: thinks")).toContain(
      "hello",
    );
    expect(await draw("stateDiagram-v2\n[*]-->Idle\nIdle-->Busy: job")).toContain("Busy");
    expect(await draw("classDiagram\n Animal <|-- Dog\n class Dog {\n +bark() void\n }")).toContain("Animal");
    expect(await draw("erDiagram\n USER ||--o{ ORDER : places\n ORDER {\n int id PK\n }")).toContain("places");
    expect(await draw('xychart-beta\n title "T"\n x-axis [a, b]\n bar [1, 2]')).toContain("T");
  });

  it("T-MMD-1 of random flowcharts every node is drawn, and every edge is drawn or listed", {
    timeout: 600_000,
  }, async () => {
    let seed = 7;
    const below = (most: number): number => {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff;
      return (seed >> 8) % most;
    };
    for (let round = 0; round < (isLong ? 200 : 25); round++) {
      const nodes = 2 + below(9);
      const edges = Array.from(
        { length: 1 + below(nodes + 2) },
        (_, at) => [below(nodes), below(nodes), `e${at}x`] as const,
      );
      const link = () => ["-->", "---", "-.->", "==>"][below(4)];
      const lines = edges.map(([from, to, label]) => `n${from}${link()}|${label}|n${to}`);
      const text = await draw(
        [`flowchart ${["TD", "LR", "BT", "RL"][below(4)]}`, ...lines].join(below(2) ? "\n" : ";"),
      );
      for (const node of new Set(edges.flatMap(([from, to]) => [to, from])))
        expect(picture(text), lines.join(";")).toMatch(new RegExp(`[^\\w]n${node}[^\\w]`));
      const listed = text.slice(picture(text).length);
      for (const [from, to, label] of edges) {
        const inList = new RegExp(`^  n${from} \\S+ n${to}: ${label}$`, "m").test(listed);
        expect(inList || picture(text).includes(label), `${lines.join(";")}\n${text}`).toBe(true);
      }
    }
  });
});
