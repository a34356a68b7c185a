// Tool calls of a hostile model: arguments generated from the schema that the tool publishes, so that a new tool is
// attacked at once. Nothing here names a path outside the temporary tree or a command that changes anything.

import { join } from "node:path";
import { isJsonObject, type JsonObject, type ToolDefinition } from "@lathe/llm";
import type { Chance } from "./chance.ts";
import { type HostileTree, MOST_STEPS_UP } from "./hostile-tree.ts";
import { hostileNumber, hostileText, hostileValue, INHERITED, ownKeys } from "./hostile-values.ts";

export interface HostileCall {
  readonly id: string;
  readonly name: string;
  readonly args: Record<string, unknown>;
}

export function hostileCall(
  chance: Chance,
  tree: HostileTree,
  tools: readonly ToolDefinition[],
  id: string,
): HostileCall {
  const onFiles = tools.filter(({ parameters }) => NAMES_FILES.test(JSON.stringify(parameters)));
  const tool = chance.pick(chance.percent(60) ? onFiles : tools);
  const name = chance.percent(6)
    ? chance.pick([...INHERITED, "", " ", `${tool.name}\u001b[31m`, hostileText(chance)])
    : tool.name;
  const args = valueFor(tool.parameters as JsonObject, "", new Source(chance, tree));
  return { id, name, args: isJsonObject(args) ? args : ownKeys([["value", args]]) };
}

/** The tools that matter most here: those that read and write files. */
const NAMES_FILES = /"(\w*path|patch|diff|input)":/;

/** Generates values by the names and types of a schema. */
function valueFor(schema: JsonObject, name: string, source: Source): unknown {
  const { chance } = source;
  if (chance.percent(name === "" ? 2 : 5)) return hostileValue(chance);
  const choices = schema["enum"];
  if (Array.isArray(choices) && chance.percent(90)) return chance.pick(choices);
  switch (schema["type"]) {
    case "object":
      return objectFor(schema, source);
    case "array":
      return [...chance.list(2, () => 0), 0].map(() => valueFor((schema["items"] ?? {}) as JsonObject, name, source));
    case "integer":
    case "number":
      return chance.percent(60) ? chance.pick([1, 1, 2, 5]) : hostileNumber(chance);
    case "boolean":
      return chance.percent(50);
    case "string":
      return source.text(name);
    default:
      return hostileValue(chance);
  }
}

function objectFor(schema: JsonObject, source: Source): Record<string, unknown> {
  const { chance } = source;
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, JsonObject>);
  const required = (schema["required"] ?? []) as readonly string[];
  const kept = properties.filter(([key]) => (required.includes(key) ? chance.percent(97) : chance.percent(40)));
  const entries: [string, unknown][] = kept.map(([key, property]) => [key, valueFor(property, key, source)]);
  if (chance.percent(10)) entries.push([chance.pick([...INHERITED, "extra", "\u001b[31m"]), hiddenCopy(kept, source)]);
  return ownKeys(entries);
}

/** A second copy of the arguments, where a careless parser would find it. */
function hiddenCopy(properties: readonly [string, JsonObject][], source: Source): unknown {
  return ownKeys(properties.map(([key, property]) => [key, valueFor(property, key, source)]));
}

class Source {
  readonly chance: Chance;
  readonly tree: HostileTree;

  constructor(chance: Chance, tree: HostileTree) {
    this.chance = chance;
    this.tree = tree;
  }

  text(name: string): string {
    const { chance } = this;
    if (/path|file|dir|workdir|cwd/i.test(name)) return this.path();
    if (/^(command|cmd)$/.test(name)) return chance.pick(COMMANDS);
    if (/^(shell|login)$/.test(name)) return chance.pick(["/bin/sh", "bash", hostileText(chance)]);
    if (/patch|diff|input/.test(name)) return this.patch(name);
    if (/url|address/.test(name)) return chance.pick(ADDRESSES);
    if (/pattern|glob|query|filter|include/.test(name)) return chance.percent(70) ? chance.pick(PATTERNS) : this.path();
    if (/old/.test(name)) return chance.pick(["two", "one\ntwo", "", "three\n", hostileText(chance)]);
    if (/agent_id|id$/.test(name)) return chance.pick(["1", "a0000001", "../../x", ...INHERITED, hostileText(chance)]);
    return chance.percent(30) ? "2\n" : hostileText(chance);
  }

  /** Paths inside, outside and protected, and everything that looks like one and is another. */
  path(): string {
    const { chance, tree } = this;
    const inside = chance.percent(25) ? "f.txt" : chance.pick(INSIDE);
    if (chance.percent(20)) return inside;
    const base = chance.pick([
      inside,
      join(tree.project, inside),
      join(tree.outside, chance.pick(["f.txt", "new.txt", "sub/g.txt", "new/deep.txt"])),
      join(tree.home, chance.pick([".bashrc", ".ssh/config", ".ssh/id_ed25519", ".lathe/config2.yml", ".config/x"])),
      `${"../".repeat(1 + chance.below(MOST_STEPS_UP))}outside/f.txt`,
      "../outside/f.txt",
      "sub/../../outside/f.txt",
      "sub/up/outside/f.txt",
      `file://${join(tree.outside, "f.txt")}`,
      "~/.bashrc",
      "artifact://0",
      "artifact://../../x",
      "f.txt:1-2",
      `./${"sub/../".repeat(200)}f.txt`,
    ]);
    if (chance.percent(75)) return base;
    if (chance.percent(20)) return base + chance.pick(["/", "/.", "/..", "//f.txt"]);
    const mark = chance.pick([
      "\u2028",
      "\u2029",
      "\u0000",
      "\u202e",
      "\u001b[31m",
      " ",
      "\n",
      "\u00a0",
      "’",
      "\ud800",
    ]);
    return chance.percent(70) ? base + mark : mark + base;
  }

  /** In the dialect that the argument's name suggests, or in another one. */
  patch(name: string): string {
    const { chance } = this;
    const path = this.path();
    const body = chance.pick([" one\n-two\n+2", "@@\n-two\n+2", "-nothing\n+x", `-two\n+${hostileText(chance)}`]);
    const inPatch = (...lines: string[]): string => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
    const patches = [
      inPatch(`*** Update File: ${path}`, body),
      inPatch("*** Update File: f.txt", `*** Move to: ${path}`, body),
      inPatch(`*** Add File: ${path}`, "+new"),
      inPatch(`*** Delete File: ${path}`),
      inPatch("*** Update File: f.txt", "@@", "-two", "+2", `*** Update File: ${path}`, "@@", "-two", "+2"),
    ];
    const diffs = [
      `--- a/${path}\n+++ b/${path}\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n`,
      `--- a/f.txt\n+++ b/${path}\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n`,
      `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+new\n`,
      `--- a/${path}\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-one\n-two\n-three\n`,
    ];
    const tagged = [`¶${path}#0000\nreplace 2..2:\n+2\n`, `¶${path}\nreplace 2..2:\n+2\n`, `¶${path}\ninsert 1:\n+x\n`];
    if (chance.percent(15)) return chance.pick([...patches, ...diffs, ...tagged, hostileText(chance)]);
    return chance.pick(name === "patch" ? patches : name === "diff" ? diffs : [...patches, ...tagged]);
  }
}

const INSIDE = [
  "f.txt",
  "crlf.txt",
  "new.txt",
  "sub/new/deep.txt",
  "long.txt",
  "link.txt",
  "dangling.txt",
  "it's/f.txt",
  "it’s/f.txt",
  "loop",
  "loop/f.txt",
  "rc",
  "hooks/post-commit",
  ".git/hooks/pre-commit",
  ".GIT/config",
  ".git/config",
  ".lathe/config.yml",
  ".vscode/tasks.json",
  ".envrc",
  ".env",
  ".bashrc",
  "line\u2028end.txt",
  "",
  ".",
  "..",
  "sub",
  "x".repeat(300),
];

/** Commands that end at once and change nothing. */
const COMMANDS = [
  "true",
  "echo hi",
  "printf '\\033[31mred\\033[0m'",
  "exit 3",
  "cat nowhere",
  "",
  "echo \u202e",
  "printf '\\377\\376\\0'",
];

/** Addresses that cannot leave this machine. */
const ADDRESSES = [
  "http://127.0.0.1:1/",
  "http://[::1]:1/",
  "http://[::ffff:127.0.0.1]:1/",
  "http://0x7f.1:1/",
  "ftp://127.0.0.1/",
  "file:///nowhere",
  "javascript:1",
  "not an address",
];

const PATTERNS = [
  "two",
  "(a+)+$",
  "[",
  "**/*",
  "*".repeat(500),
  "{a,b".repeat(100),
  "\\",
  "(?<x>",
  "../**",
  "**/.env",
  "-v",
  "--pre=id",
];
