// Imports only point down: lathe -> agent -> llm; testkit is used only by tests and benches. Inside llm: types <-
// helpers <- protocols and providers <- client <- generate. Inside agent and lathe: the order of the rooms. No two
// files and no two folders import each other, directly or indirectly. The libraries never access the machine
// themselves.
import { readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { projectFiles } from "./check/files.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const IMPORT = /(?:from\s+|import\s*\(\s*|import\s+)["']([^"']+)["']/g;

const MAY_IMPORT: Record<string, readonly string[]> = {
  llm: [],
  testkit: [],
  tui: [],
  agent: ["@lathe/llm"],
  lathe: ["@lathe/agent", "@lathe/llm", "@lathe/tui"],
  web: ["lathe", "@lathe/tui"],
};

// Lower number = lower layer; a folder may import from its own layer and below.
const LLM_LAYERS: Record<string, number> = { types: 1, client: 4, generate: 5 };
const llmLayer = (file: string): number => LLM_LAYERS[file.split("/")[3] ?? ""] ?? 2;

// From the lowest room to the highest; AGENTS.md describes them. A room may import from itself and the rooms before it.
const ROOMS: Record<string, readonly string[]> = {
  agent: [
    "base",
    "world",
    "contract",
    "record",
    "policy",
    "files",
    "verify",
    "research",
    "context",
    "tools",
    "agents",
    "session",
  ],
  lathe: [
    "platform",
    "config",
    "models",
    "sessions",
    "changes",
    "found",
    "conversation",
    "additions",
    "hosts",
    "doors",
    "cli",
  ],
};

interface Source {
  file: string;
  imports: string[];
  text: string;
}

function sources(): Source[] {
  return projectFiles(root, /^packages\/[^/]+\/src\/.*\.tsx?$/)
    .filter((file: string) => !file.endsWith(".test.ts") && !file.includes("/test/"))
    .map((file: string) => {
      const text = readFileSync(join(root, file), "utf8");
      return { file, text, imports: [...text.matchAll(IMPORT)].map((match) => match[1] ?? "") };
    });
}

function violations(list: readonly Source[]): string[] {
  const problems: string[] = [];
  for (const { file, imports } of list) {
    const pkg = file.split("/")[1] ?? "";
    for (const target of imports) {
      if (target.startsWith("@lathe/")) {
        const name = target.split("/").slice(0, 2).join("/");
        if (!(MAY_IMPORT[pkg] ?? []).includes(name)) problems.push(`${file} imports ${target}`);
      }
      if (!target.startsWith(".")) continue;
      const resolved = relative(root, join(root, dirname(file), target));
      if (!resolved.startsWith(`packages/${pkg}/`)) problems.push(`${file} reaches into ${resolved}`);
      const entry = /^packages\/llm\/src\/[^/]+\.ts$/.test(file);
      if (pkg === "llm" && !entry && llmLayer(resolved) > llmLayer(file))
        problems.push(`${file} imports upward: ${resolved}`);
    }
  }
  return problems;
}

/** A file that imports from a higher room, or belongs to no room. */
function upwardImports(list: readonly Source[]): string[] {
  const problems: string[] = [];
  for (const source of list) {
    const [, pkg = "", , room = ""] = source.file.split("/");
    const rooms = ROOMS[pkg];
    if (!rooms || isDoor(source.file)) continue;
    const floor = rooms.indexOf(room);
    if (floor < 0) problems.push(`${source.file} stands in no room`);
    else
      for (const target of targetsOf(source))
        if (isDoor(target) || rooms.indexOf(target.split("/")[3] ?? "") > floor)
          problems.push(`${source.file} imports upward: ${target}`);
  }
  return problems;
}

/** Files directly below `src`, such as the index: they are above all rooms. */
const isDoor = (file: string): boolean => /^packages\/[^/]+\/src\/[^/]+$/.test(file);

/** The files that a file imports by a relative path in any way, including types and merged declarations. */
function targetsOf({ file, text }: Source): string[] {
  return [...text.matchAll(REFERENCE)].map(([, target = ""]) => relative(root, join(root, dirname(file), target)));
}

/** Groups of files that can all reach each other, directly or indirectly; each group is sorted. */
function fileCircles(list: readonly Source[]): string[][] {
  return circles(new Map(list.map((source) => [source.file, new Set(targetsOf(source))])));
}

/** Groups of folders that reach each other; in a package with rooms, of the folders inside them. */
function folderCircles(list: readonly Source[]): string[][] {
  const reaches = new Map<string, Set<string>>();
  for (const source of list) {
    const from = folderOf(source.file);
    if (from === undefined) continue;
    const targets = targetsOf(source).flatMap((target) => folderOf(target) ?? []);
    reaches.set(from, new Set([...(reaches.get(from) ?? []), ...targets]));
  }
  return circles(reaches);
}

/** Undefined for a file outside the folders: the check of files covers it. */
function folderOf(file: string): string | undefined {
  const parts = file.split("/");
  const depth = ROOMS[parts[1] ?? ""] ? 5 : 4;
  return parts.length > depth ? parts.slice(0, depth).join("/") : undefined;
}

/** The strongly connected components with more than one node (Tarjan's algorithm, without recursion). */
function circles(reaches: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const found: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const isOpen = new Set<string>();
  for (const start of reaches.keys()) {
    const path = order.has(start) ? [] : [{ node: start, rest: enter(start) }];
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const { value: next, done } = top.rest.next();
      if (!done) {
        if (!order.has(next)) path.push({ node: next, rest: enter(next) });
        else if (isOpen.has(next)) lower(top.node, order.get(next)!);
        continue;
      }
      path.pop();
      const below = path.at(-1);
      if (below) lower(below.node, lowest.get(top.node)!);
      if (lowest.get(top.node) === order.get(top.node)) leave(top.node);
    }
  }
  return found.sort();

  function enter(node: string): IterableIterator<string> {
    lowest.set(node, order.size);
    order.set(node, order.size);
    open.push(node);
    isOpen.add(node);
    return [...(reaches.get(node) ?? [])].filter((next) => reaches.has(next)).values();
  }
  function lower(node: string, to: number): void {
    lowest.set(node, Math.min(lowest.get(node)!, to));
  }
  function leave(node: string): void {
    const group = open.splice(open.indexOf(node));
    for (const member of group) isOpen.delete(member);
    if (group.length > 1) found.push(group.sort());
  }
}

const REFERENCE = /(?:from\s+|import\s*\(\s*|import\s+|declare module\s+)["'](\.[^"']+)["']/g;

/** A file of package `pkg` that imports these files by relative paths. */
const fileNaming = (file: string, ...targets: string[]): Source => ({
  file,
  imports: [],
  text: targets.map((target) => `import type { A } from "${target}";`).join("\n"),
});

describe("layers", () => {
  it("no folder imports one that imports it", () => {
    expect(folderCircles(sources())).toEqual([]);
  });

  it("a circle of three folders is noticed, in a room too", () => {
    const folder = (name: string, target: string): Source =>
      fileNaming(`packages/agent/src/base/${name}/${target}.ts`, `../${target}/from-${name}.ts`);
    expect(folderCircles([folder("a", "b"), folder("b", "c"), folder("c", "a"), folder("d", "a")])).toEqual([
      ["packages/agent/src/base/a", "packages/agent/src/base/b", "packages/agent/src/base/c"],
    ]);
  });

  it("a lower room imports no upper one, types included, and every folder stands in a room", () => {
    expect(upwardImports(sources())).toEqual([]);
  });

  it("an upward import, one of the index and a folder without a room are noticed", () => {
    const good = fileNaming("packages/lathe/src/hosts/rpc/a.ts", "../../platform/home/b.ts", "./c.ts");
    const upward = fileNaming("packages/agent/src/base/text/a.ts", "../../session/session.ts");
    const index = fileNaming("packages/agent/src/base/text/b.ts", "../../index.ts");
    const homeless = fileNaming("packages/lathe/src/somewhere/a.ts");
    expect(upwardImports([good, upward, index, homeless])).toEqual([
      "packages/agent/src/base/text/a.ts imports upward: packages/agent/src/session/session.ts",
      "packages/agent/src/base/text/b.ts imports upward: packages/agent/src/index.ts",
      "packages/lathe/src/somewhere/a.ts stands in no room",
    ]);
  });

  it("no file imports one that imports it, by whatever way", () => {
    expect(fileCircles(sources())).toEqual([]);
  });

  it("two circles of files are told apart, and what only leads to them is not listed", () => {
    const file = (name: string, ...targets: string[]): Source => fileNaming(`packages/x/src/${name}`, ...targets);
    const merged = { ...file("e.ts"), text: 'declare module "./d.ts" {}' };
    const list = [file("a.ts", "./b.ts", "./d.ts"), file("b.ts", "./c.ts"), file("c.ts", "./a.ts", "./z.ts")];
    expect(fileCircles([...list, file("d.ts", "./e.ts"), merged, file("f.ts", "./a.ts")])).toEqual([
      ["packages/x/src/a.ts", "packages/x/src/b.ts", "packages/x/src/c.ts"],
      ["packages/x/src/d.ts", "packages/x/src/e.ts"],
    ]);
  });

  it("CL-01 imports point down only", () => {
    expect(violations(sources())).toEqual([]);
  });

  it("CL-01 the rule notices a type file that imports the client", () => {
    const bad = { file: "packages/llm/src/types/message.ts", imports: ["../client/client.ts"], text: "" };
    expect(violations([bad])).toHaveLength(1);
  });

  it("only Session holds the whole core of a session: its modules ask for parts", () => {
    const core = "packages/agent/src/session/core.ts";
    const holders = sources().filter(({ file, imports }) =>
      imports.some((target) => target.startsWith(".") && join(dirname(file), target) === core),
    );
    expect(holders.map(({ file }) => file)).toEqual(["packages/agent/src/session/session.ts"]);
  });

  it("llm and agent take clock, randomness and environment from outside", () => {
    const machine = /\b(process\.env|process\.cwd\(|Date\.now\(|Math\.random\(|new Date\(\))/;
    const allowed = new Set(["packages/llm/src/deps.ts", "packages/agent/src/deps.ts"]);
    const found = sources()
      .filter(({ file }) => /^packages\/(llm|agent)\//.test(file) && !allowed.has(file))
      .filter(({ text }) => machine.test(stripComments(text)))
      .map(({ file }) => file);
    expect(found).toEqual([]);
  });
});

function stripComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}
