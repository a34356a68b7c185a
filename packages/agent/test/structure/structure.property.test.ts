// Compares structural search with a plain loop over every file, and applies plans after random changes since the
// preview.

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { cp, mkdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, type SgNode } from "@ast-grep/napi";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CallPaths } from "../../src/contract/paths/call-paths.ts";
import { documentText } from "../../src/files/edit/document.ts";
import { Parser } from "../../src/files/parser/parser.ts";
import { grammarOf, languageOf } from "../../src/files/structure/languages.ts";
import { runStructure } from "../../src/files/structure/run-structure.ts";
import { astEditTool } from "../../src/tools/builtin/ast-edit/index.ts";
import { resolveTool } from "../../src/tools/builtin/resolve/index.ts";
import { PendingActions } from "../../src/tools/pending-actions/pending-actions.ts";
import { type Bench, toolBench } from "../call-tool.ts";

const long = process.env["LATHE_LONG"] !== undefined;
const PATTERNS = long ? 200 : 3;
const ROUNDS = long ? 1000 : 15;
const timeout = long ? 1_800_000 : 120_000;

let bench: Bench;
let parser: Parser;
beforeAll(async () => {
  bench = await toolBench();
  parser = new Parser();
  Object.assign(bench.services, { parser, structure: { maxFiles: 100_000 } });
});
afterAll(async () => {
  await parser.close();
  await bench.close();
});

const SOURCES = fileURLToPath(new URL("../../src/files/edit", import.meta.url));
const OTHERS: Readonly<Record<string, string>> = {
  "view.tsx": "export const View = ({ text }: { text: string }) => <div className={text}>{text.length}</div>;\n",
  "page.html": '<html><body><div class="text">length</div><script>text.length</script></body></html>\n',
  "style.css": ".text { color: red; }\n.text > .length { color: red; }\n",
  "old.js": "const text = (lines) => lines.map((line) => line.length);\r\nmodule.exports = { text };\r\n",
  "odd.cjs": "\uFEFFconst path = require('path'); // ä😀\npath.join(text, path);\n",
};

async function corpus(): Promise<string[]> {
  await mkdir(join(bench.dir, "corpus"));
  await cp(SOURCES, join(bench.dir, "corpus"), { recursive: true });
  for (const [name, text] of Object.entries(OTHERS)) writeFileSync(join(bench.dir, "corpus", name), text);
  writeFileSync(join(bench.dir, "corpus", "wide.ts"), Buffer.from("\uFEFFconst text = path.length;\n", "utf16le"));
  return readdirSync(join(bench.dir, "corpus"), { recursive: true, encoding: "utf8" })
    .map((name) => `corpus/${name}`)
    .filter((path) => languageOf(path) && !languageOf(path)?.isData)
    .sort();
}

/** None if the pattern is not valid in the language. */
function startsIn(file: string, text: string, pattern: string): number[] {
  const root = parse(grammarOf(file, languageOf(file)!), text).root();
  try {
    return root.findAll(pattern).map((node) => node.range().start.index);
  } catch {
    return [];
  }
}

/** A piece of real code in which some nodes became placeholders. */
function patternIn(root: SgNode, pick: (most: number) => number): string | undefined {
  const nodes = root.findAll({ rule: { regex: "." } }).filter((node) => node.isNamed());
  const node = nodes[pick(nodes.length - 1)];
  if (!node || node.text().length > 100 || node.kind() === "comment") return undefined;
  const start = node.range().start.index;
  let text = node.text();
  const inner = node
    .findAll({ rule: { regex: "." } })
    .filter((one) => one.isNamed() && one.text().length < text.length);
  const chosen = Array.from({ length: Math.min(2, inner.length) }, () => inner[pick(inner.length - 1)] as SgNode);
  const apart = chosen.sort((a, b) => b.range().start.index - a.range().start.index);
  let end = Number.POSITIVE_INFINITY;
  for (const [index, one] of apart.entries()) {
    const range = one.range();
    if (range.end.index > end) continue;
    const name = ["$A", "$_", "$$$B", "$A"][(index + pick(3)) % 4] as string;
    text = text.slice(0, range.start.index - start) + name + text.slice(range.end.index - start);
    end = range.start.index;
  }
  return /^\$+\w*$/.test(text) ? undefined : text;
}

it(
  `T-AST-1 ${PATTERNS} random patterns give the matches of a bare loop over every file`,
  async () => {
    const files = await corpus();
    const texts = new Map(files.map((path) => [path, documentText(readFileSync(join(bench.dir, path)))]));
    const random = fc.sample(fc.nat(), { numRuns: 40_000, seed: 4711 });
    const pick = (most: number): number => (most <= 0 ? 0 : (random.pop() as number) % (most + 1));
    const signal = new AbortController().signal;
    let compared = 0;
    let matches = 0;
    for (let tries = 0; compared < PATTERNS && tries < PATTERNS * 20; tries++) {
      const path = files[pick(files.length - 1)] as string;
      const grammar = grammarOf(path, languageOf(path)!);
      const pattern = patternIn(parse(grammar, texts.get(path)!).root(), pick);
      if (pattern === undefined) continue;
      const scope = { env: bench.env, signal, services: bench.services, paths: new CallPaths(bench.env, signal) };
      const query = { rules: [{ pattern }], paths: ["corpus"], most: Number.MAX_SAFE_INTEGER };
      const found = await runStructure(query, scope).catch((error: Error) => error);
      if (found instanceof Error) {
        expect(found.message).toMatch(/does not parse as/);
        continue;
      }
      const isLeftOut = (file: string): boolean =>
        found.notes.some((note) => note.includes(` of ${languageOf(file)?.label} not searched`));
      const bare = files.flatMap((file) => {
        if (isLeftOut(file)) return [];
        const starts = startsIn(file, texts.get(file)!, pattern);
        return starts.length === 0 ? [] : [[file, starts.sort((a, b) => a - b)]];
      });
      expect([pattern, found.files.map((file) => [file.path, file.matches.map(({ start }) => start)])]).toEqual([
        pattern,
        bare,
      ]);
      compared++;
      matches += found.total;
    }
    expect(compared).toBe(PATTERNS);
    expect(matches).toBeGreaterThanOrEqual(PATTERNS);
  },
  timeout,
);

it(
  `T-AST-2 G-71 ${ROUNDS} rounds of random changes between preview and apply: exactly the plan, or no byte`,
  async () => {
    const names = ["a.ts", "b.ts", "c/d.ts"];
    const change = fc.record({
      file: fc.constantFrom(...names),
      kind: fc.constantFrom("none", "same", "append", "insert", "ending", "mark", "delete", "replace", "link"),
      at: fc.nat(60),
    });
    let written = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 2 }), fc.constantFrom("\n", "\r\n"), async (changes, ending) => {
        const root = join(bench.dir, "plan");
        await rm(root, { recursive: true, force: true });
        const original = `log(1);${ending}if (a) {${ending}  log(2, "ä");${ending}}${ending}`;
        for (const name of names) {
          await mkdir(dirname(join(root, name)), { recursive: true });
          writeFileSync(join(root, name), original);
        }
        const pending = new PendingActions({ isOffered: () => true, force: () => {}, guard: () => {}, warn: () => {} });
        bench.services.pendingActions = pending;
        await bench.call(astEditTool, { ops: [{ pat: "log($$$A)", out: "print($$$A)" }], paths: ["plan"] });
        for (const one of changes) await disturb(root, one);
        const before = snapshot(root);
        const planned =
          before.every(([, bytes]) => bytes === Buffer.from(original).toString("latin1")) &&
          before.length === names.length;
        const ended = await bench
          .text(resolveTool(pending), { action: "apply", reason: "go" })
          .catch((error: Error) => error);
        if (ended instanceof Error) {
          expect(planned).toBe(false);
          expect(snapshot(root)).toEqual(before);
          refused++;
        } else {
          expect(ended).toBe("Applied 6 replacements in 3 files.");
          expect(snapshot(root)).toEqual(before.map(([name, bytes]) => [name, bytes?.replaceAll("log(", "print(")]));
          expect(planned).toBe(true);
          written++;
        }
      }),
      { numRuns: ROUNDS, seed: 7 },
    );
    expect(Math.min(written, refused)).toBeGreaterThan(ROUNDS / 20);
  },
  timeout,
);

async function disturb(root: string, { file, kind, at }: { file: string; kind: string; at: number }): Promise<void> {
  const path = join(root, file);
  const read = (): string => {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return "";
    }
  };
  const text = read();
  const changed: Readonly<Record<string, string>> = {
    same: text,
    append: `${text}more();\n`,
    insert: `${text.slice(0, at)} ${text.slice(at)}`,
    ending: text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text.replaceAll("\n", "\r\n"),
    mark: `\uFEFF${text}`,
    replace: "other();\n",
  };
  if (kind === "delete" || kind === "link") await rm(path, { force: true });
  const { symlinkSync } = await import("node:fs");
  if (kind === "link") symlinkSync(join(root, basename(file) === "a.ts" ? "b.ts" : "a.ts"), path);
  if (changed[kind] !== undefined && text !== "") writeFileSync(path, changed[kind] as string);
}

/** Names and bytes of all files; for a link, its target. */
function snapshot(root: string): [string, string | undefined][] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry): [string, string | undefined] => {
      const path = join(entry.parentPath, entry.name);
      return [path, entry.isSymbolicLink() ? undefined : readFileSync(path).toString("latin1")];
    })
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
