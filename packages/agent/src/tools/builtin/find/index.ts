// find: finds paths by glob, grouped by folder.

import { flag, integer, listOf, number, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import type { ToolContext, ToolDef, ToolResult } from "../../../contract/tool.ts";
import { type FoundPaths, findAccess, findPaths } from "../../../files/find/find.ts";
import { artifactNotice } from "../../../record/artifacts/notice.ts";
import { countOf, exploringCard } from "../card.ts";
import description from "./description.md";

const MOST = 200;
const SECONDS = 5;

const params = {
  paths: listOf(text("A glob, directory or file"), "Where to look and for what"),
  hidden: optional(flag("false: no hidden files")),
  gitignore: optional(flag("false: also files that git ignores")),
  limit: optional(integer({ description: `How many to show; ${MOST} when not given`, minimum: 1, maximum: MOST })),
  timeout: optional(
    number({
      description: `Seconds after which what was found is shown; ${SECONDS} when not given`,
      minimum: 0.5,
      maximum: 60,
    }),
  ),
};

type Args = StaticFields<typeof params>;

const summary = ({ paths }: Args): string => paths.join(", ");

export const findTool: ToolDef<Args> = {
  name: "find",
  label: "Find files",
  description: description.trim(),
  schema: object(params),
  tier: "read",
  replay: "safe",
  output: { chars: 30_000, mode: "head" },
  access: ({ paths }, scope) => findAccess(paths, scope),
  summary,
  card: (args, result) =>
    exploringCard(["Finding", "Found", "Find"], summary(args), result, ({ files, truncated }) =>
      typeof files === "number" ? `${countOf(files, "path")}${truncated ? " or more" : ""}` : undefined,
    ),
  async execute({ paths, hidden = true, gitignore = true, limit = MOST, timeout = SECONDS }, context) {
    const found = await findPaths({ paths, hidden, gitignore, limit, timeoutMs: timeout * 1000 }, context);
    return result(found, limit, timeout, context);
  },
};

async function result(found: FoundPaths, limit: number, seconds: number, context: ToolContext): Promise<ToolResult> {
  const { paths, hasTimedOut, isCut, missing } = found;
  const shown = paths.slice(0, limit);
  const notes: string[] = [];
  const isShortened = shown.length < paths.length;
  if (isShortened) notes.push(`The ${shown.length} newest of ${paths.length}${isCut ? " or more" : ""}`);
  if (hasTimedOut) notes.push(`Stopped after ${seconds} s, so this is not all: name a narrower path or raise timeout`);
  if (missing.length > 0) notes.push(`Skipped missing paths: ${missing.join(", ")}`);
  const body = shown.length === 0 ? "No files found matching pattern" : groupPaths(shown);
  const truncated = hasTimedOut || isCut || isShortened;
  const whole = isShortened ? [artifactNotice(await keep(paths, context))] : [];
  return {
    content: [{ kind: "text", text: [body, ...notes.map((note) => `[${note}]`), ...whole].join("\n") }],
    details: {
      files: shown.length,
      truncated,
      paths: shown,
      missingPaths: [...missing],
      ...(isShortened ? { meta: { limits: { result: limit } } } : {}),
    },
    effects: "none",
  };
}

/** Consecutive paths in the same folder share a heading, so the order by time stays. */
function groupPaths(paths: readonly string[]): string {
  const lines: string[] = [];
  let folder: string | undefined;
  for (const path of paths) {
    const end = path.lastIndexOf("/", path.length - 2) + 1;
    const own = path.slice(0, end) || "./";
    if (own !== folder) lines.push(`# ${own}`);
    folder = own;
    lines.push(path.slice(end));
  }
  return lines.join("\n");
}

async function keep(paths: readonly string[], { openArtifact }: ToolContext): Promise<number> {
  const artifact = openArtifact("find");
  artifact.write(Buffer.from(paths.join("\n")));
  return (await artifact.close()).id;
}
