// Imports point down only: lathe -> agent -> llm; testkit stands beside and is used by tests and benches alone. Inside llm:
// types <- helpers <- protocols and providers <- client <- generate. The libraries never reach for the machine themselves.
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
};

// Lower number = lower layer; a folder may import from its own layer and below.
const LLM_LAYERS: Record<string, number> = { types: 1, client: 4, generate: 5 };
const llmLayer = (file: string): number => LLM_LAYERS[file.split("/")[3] ?? ""] ?? 2;

interface Source {
  file: string;
  imports: string[];
  text: string;
}

function sources(): Source[] {
  return projectFiles(root, /^packages\/[^/]+\/src\/.*\.ts$/)
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

/** Folders of a package that reach each other, type imports and merged declarations included; each group once. */
function folderCycles(pkg: string, list: readonly Source[]): string[] {
  const reaches = new Map<string, Set<string>>();
  for (const { file, text } of list.filter((source) => source.file.startsWith(`packages/${pkg}/src/`))) {
    const from = folderOf(file);
    for (const [, target = ""] of text.matchAll(REFERENCE)) {
      const to = folderOf(relative(root, join(root, dirname(file), target)));
      if (from !== to) reaches.set(from, (reaches.get(from) ?? new Set()).add(to));
    }
  }
  const behind = (from: string, seen = new Set<string>()): Set<string> => {
    for (const to of reaches.get(from) ?? []) if (!seen.has(to)) behind(to, seen.add(to));
    return seen;
  };
  const groups = [...reaches.keys()]
    .filter((folder) => behind(folder).has(folder))
    .map((folder) =>
      [...behind(folder)]
        .filter((other) => behind(other).has(folder))
        .sort()
        .join(" <-> "),
    );
  return [...new Set(groups)];
}

const REFERENCE = /(?:from\s+|import\s*\(\s*|import\s+|declare module\s+)["'](\.[^"']+)["']/g;
/** The part below `src`: a folder, or a file that stands there by itself. */
const folderOf = (file: string): string => file.split("/")[3] ?? "";

describe("layers", () => {
  it.each(["llm", "agent", "tui", "lathe", "testkit"])("no folder of %s imports one that imports it", (pkg) => {
    expect(folderCycles(pkg, sources())).toEqual([]);
  });

  it("a cycle of three folders is noticed", () => {
    const file = (name: string, target: string): Source => ({
      file: `packages/x/src/${name}/a.ts`,
      imports: [],
      text: `import type { A } from "../${target}/a.ts";`,
    });
    expect(folderCycles("x", [file("a", "b"), file("b", "c"), file("c", "a"), file("d", "a")])).toEqual([
      "a <-> b <-> c",
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
