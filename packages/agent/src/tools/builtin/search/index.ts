// search: shows matches page by page, with the tags that edits need.

import type { JsonObject } from "@lathe/llm";
import { flag, integer, listOf, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import { type ToolContext, type ToolDef, ToolFailure, type ToolResult } from "../../../contract/tool.ts";
import { searchAccess } from "../../../files/search/places.ts";
import { FILES_PER_PAGE, type SearchPage, searchPage } from "../../../files/search/search.ts";
import { MOST_COLUMNS, wholeExcerpts } from "../../../files/search/show.ts";
import { artifactNotice } from "../../../record/artifacts/notice.ts";
import { countOf, exploringCard } from "../card.ts";
import description from "./description.md";

/** The search may cover the whole disk, or a line of many megabytes that matches everywhere. */
const MOST_MS = 60_000;

const params = {
  pattern: text("Regular expression"),
  paths: optional(listOf(text("A path, glob or address"), "Where to search; the working directory when not given")),
  i: optional(flag("Ignore the difference between upper and lower case")),
  gitignore: optional(flag("false: also files that git ignores")),
  skip: optional(integer("Files to skip, for the next page")),
};

type Args = StaticFields<typeof params>;

const where = ({ paths }: Args): readonly string[] => paths ?? ["."];

export const searchTool: ToolDef<Args> = {
  name: "search",
  label: "Search",
  description: description.trim(),
  schema: object(params),
  tier: "read",
  replay: "safe",
  // The page has its own limit; notices are added to it.
  output: { chars: 60_000, mode: "head" },
  access: (args, scope) => searchAccess(where(args), scope),
  summary: (args) => summary(args),
  card: (args, result) =>
    exploringCard(["Searching", "Searched", "Search"], summary(args), result, ({ matches, files }) =>
      typeof matches === "number" && typeof files === "number"
        ? `${countOf(matches, "match", "matches")} in ${countOf(files, "file")}`
        : undefined,
    ),
  async execute(args, context) {
    const { pattern, i = false, gitignore = true, skip = 0 } = args;
    if (skip < 0) throw new ToolFailure("Skip must be a non-negative number");
    const query = { pattern, paths: where(args), caseInsensitive: i, gitignore, skip, timeoutMs: MOST_MS };
    const page = await searchPage(query, context);
    return result(page, skip, context);
  },
};

function summary(args: Args): string {
  return args.paths === undefined ? args.pattern : `${args.pattern} in ${where(args).join(", ")}`;
}

async function result(page: SearchPage, skip: number, context: ToolContext): Promise<ToolResult> {
  const { shown, total, next, missing, gone, isCapped, excerpts, perFile } = page;
  const notes: string[] = [];
  if (shown.isCut) notes.push("Lines or matches of this page were cut");
  if (gone.length > 0) notes.push(`No longer matching: ${gone.join(", ")}`);
  const limit = isCapped ? ` of the first ${total}; more match: narrow the search` : ` of ${total}`;
  if (next !== undefined) notes.push(`Files ${skip + 1}-${next}${limit}. Use skip=${next} for the next page`);
  else if (isCapped) notes.push(`Files ${skip + 1}-${total}${limit}`);
  if (missing.length > 0) notes.push(`Skipped missing paths: ${missing.join(", ")}`);
  const whole = shown.isCut ? [artifactNotice(await keepWhole(page, context))] : [];
  const body = shown.files > 0 ? shown.text : noMatchText(page, skip);
  const limits: JsonObject = {
    ...(excerpts.some(({ hasMore }) => hasMore) ? { match: perFile } : {}),
    ...(next === undefined ? {} : { result: FILES_PER_PAGE }),
    ...(isCapped ? { head: total } : {}),
    ...(shown.hasCutLine ? { column: MOST_COLUMNS } : {}),
  };
  const details: JsonObject = {
    matches: shown.matches,
    files: shown.files,
    totalFiles: total,
    truncated: shown.isCut || next !== undefined || isCapped,
    fileMatches: excerpts.map(({ path, hits, tag }) => ({ path, count: hits.length, ...(tag ? { tag } : {}) })),
    ...(next === undefined ? {} : { nextSkip: next }),
    ...(missing.length === 0 ? {} : { missingPaths: [...missing] }),
    ...(Object.keys(limits).length === 0 ? {} : { meta: { limits } }),
  };
  return {
    content: [{ kind: "text", text: [body, ...notes.map((note) => `[${note}]`), ...whole].join("\n") }],
    details,
    effects: "none",
  };
}

const noMatchText = ({ total, gone }: SearchPage, skip: number): string =>
  skip > 0 && skip >= total
    ? `No more files: ${countOf(total, "file")} matched`
    : gone.length > 0
      ? ""
      : "No matches found";

/** Saves the page without cuts and returns its artifact number. */
async function keepWhole({ excerpts, around }: SearchPage, { openArtifact }: ToolContext): Promise<number> {
  const artifact = openArtifact("search");
  artifact.write(Buffer.from(wholeExcerpts(excerpts, around)));
  return (await artifact.close()).id;
}
