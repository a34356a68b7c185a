import { listOf, object, type StaticFields, text } from "@lathe/llm/schema";
import { type CallScope, type ToolContext, type ToolDef, ToolFailure } from "../../../contract/tool.ts";
import { numberLines } from "../../../files/read/numbered.ts";
import { open } from "../../../files/read/open.ts";
import { windowOf } from "../../../files/read/window.ts";
import { EnvError } from "../../../world/env/types.ts";
import { countOf, exploringCard } from "../card.ts";
import { fileAccess } from "../file-access.ts";
import { READ_OUTPUT } from "../output.ts";
import description from "./description.md";

const params = {
  paths: listOf(text("A path or a glob pattern"), {
    description: "Files to read: paths and glob patterns",
    minItems: 1,
  }),
};

const MOST_FILES = 100;
const LINES_PER_FILE = 2_000;

export const readManyFilesTool: ToolDef<StaticFields<typeof params>> = {
  name: "read_many_files",
  label: "Read files",
  description: description.trim(),
  schema: object(params),
  tier: "read",
  replay: "safe",
  output: READ_OUTPUT,
  access: async ({ paths }, scope) => fileAccess("read", (await expand(paths, scope)).slice(0, MOST_FILES), scope),
  summary: ({ paths }) => paths.join(", "),
  card: ({ paths }, result) =>
    exploringCard(["Reading", "Read", "Read"], paths.join(", "), result, ({ files }) =>
      Array.isArray(files) ? countOf(files.length, "file") : undefined,
    ),
  async execute({ paths }, context) {
    const files = await expand(paths, context);
    const shown = files.slice(0, MOST_FILES);
    const parts = await Promise.all(shown.map(async (path) => `--- ${path} ---\n${await readOne(path, context)}`));
    if (files.length > shown.length)
      parts.push(`[${files.length - shown.length} more files; name fewer or narrower patterns]`);
    return {
      content: [{ kind: "text", text: parts.join("\n\n") }],
      details: { files: shown },
      effects: "none",
    };
  },
};

/** Longer lines are cut, so that one minified file does not crowd out the others. */
const LINE_LIMIT = 2_000;

function shorten(line: string): string {
  if (line.length <= LINE_LIMIT) return line;
  const end = /[\uD800-\uDBFF]/.test(line[LINE_LIMIT - 1] ?? "") ? LINE_LIMIT - 1 : LINE_LIMIT;
  return `${line.slice(0, end)} [... ${line.length - end} more characters in this line; read the file alone]`;
}

async function expand(paths: readonly string[], { paths: callPaths }: CallScope): Promise<string[]> {
  const found = new Set<string>();
  const unmatched: string[] = [];
  for (const path of paths) {
    if (!/[*?[\]{}]/.test(path) || (await callPaths.locate(path)).stat) {
      found.add(path);
      continue;
    }
    const matches = await callPaths.filesMatching(path, MOST_FILES + 1);
    for (const match of matches) found.add(match);
    if (matches.length === 0) unmatched.push(path);
  }
  if (found.size === 0) throw new ToolFailure(`No file matches ${paths.join(", ")}.`);
  // A pattern without a match is read like a path, so its section says that there is no such file.
  return [...found, ...unmatched];
}

async function readOne(path: string, context: ToolContext): Promise<string> {
  try {
    const opened = await open(path, context);
    if (opened.kind === "image")
      return `[${opened.mediaType}, ${opened.bytes.length} bytes: read it alone to look at it]`;
    if (opened.kind === "shown") return opened.text;
    const { rows, total, next, advice } = windowOf(opened, { defaultLimit: LINES_PER_FILE });
    if (advice !== undefined) return advice;
    const lines = rows.map((row) => shorten(row?.text ?? "…"));
    return (
      numberLines(lines, 1) +
      (next === undefined ? "" : `\n[${total - next + 1} more lines; read the file alone with offset=${next}]`)
    );
  } catch (error) {
    if (error instanceof ToolFailure || error instanceof EnvError) return `[ERROR: ${error.message}]`;
    throw error;
  }
}
