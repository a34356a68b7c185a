// ast_grep: searches code by its structure.

import { integer, listOf, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import { type ToolContext, type ToolDef, ToolFailure, type ToolResult } from "../../../contract/tool.ts";
import type { Excerpt } from "../../../files/search/content.ts";
import { searchAccess } from "../../../files/search/places.ts";
import { showExcerpts } from "../../../files/search/show.ts";
import {
  namedLanguage,
  refuseEmptyPattern,
  runStructure,
  type StructureFile,
  type StructureResult,
} from "../../../files/structure/run-structure.ts";
import { countOf, exploringCard } from "../card.ts";
import description from "./description.md";

const PER_PAGE = 100;
/** Lines shown per match; the model can read the rest. */
const MOST_LINES = 6;
const MOST_BYTES = 50 << 10;

const params = {
  pat: text("The pattern"),
  paths: optional(listOf(text("A path or glob"), "Where to search; the working directory when not given")),
  lang: optional(text("Only files of this language, such as `typescript` or `py`")),
  skip: optional(integer({ description: "Matches to skip, for the next page", minimum: 0 })),
};

type Args = StaticFields<typeof params>;

const where = ({ paths }: Args): readonly string[] => paths ?? ["."];

/** `tagged`: for edits that refer to a file by a tag of its content. */
const makeTool = (tagged: boolean): ToolDef<Args> => ({
  name: "ast_grep",
  label: "Search code structure",
  description: description.trim(),
  schema: object(params),
  tier: "read",
  replay: "safe",
  output: { chars: 60_000, mode: "head" },
  loadMode: "discoverable",
  needs: ["structure"],
  access: (args, scope) => searchAccess(where(args), scope),
  summary: (args) => summary(args),
  card: (args, result) =>
    exploringCard(["Searching", "Searched", "Search"], summary(args), result, ({ matches, files }) =>
      typeof matches === "number" && typeof files === "number"
        ? `${countOf(matches, "match", "matches")} in ${countOf(files, "file")}`
        : undefined,
    ),
  async execute(args, context) {
    const { pat: pattern, lang, skip = 0 } = args;
    refuseEmptyPattern(pattern);
    const query = { rules: [{ pattern }], paths: where(args), language: namedLanguage(lang), most: skip + PER_PAGE };
    return resultOf(await runStructure(query, context), skip, tagged, context);
  },
});

export const astGrepTool = makeTool(false);
export const taggedAstGrepTool = makeTool(true);

function summary(args: Args): string {
  return args.paths === undefined ? args.pat : `${args.pat} in ${where(args).join(", ")}`;
}

async function resultOf(
  found: StructureResult,
  skip: number,
  tagged: boolean,
  context: ToolContext,
): Promise<ToolResult> {
  const { total, totalFiles, searched, isCapped, missingPaths } = found;
  if (skip > 0 && skip >= total) throw new ToolFailure(`No more matches: there are ${total}.`);
  const excerpts = await Promise.all(pageOf(found.files, skip).map((file) => excerptOf(file, tagged, context)));
  const shown = showExcerpts(excerpts, { before: 0, after: 0 }, MOST_BYTES);
  const last = Math.min(total, skip + PER_PAGE);
  const notes = [
    ...(shown.isCut || shown.files < excerpts.length ? ["Some matches of this page are cut: narrow `paths`"] : []),
    ...(last < total
      ? [`Matches ${skip + 1}-${last} of ${total} in ${countOf(totalFiles, "file")}. Use skip=${last} for more`]
      : []),
    ...(isCapped ? [`Only the first ${searched} files that may match were searched: narrow \`paths\``] : []),
    ...(missingPaths.length > 0 ? [`Skipped missing paths: ${missingPaths.join(", ")}`] : []),
    ...found.notes,
  ];
  const body = total === 0 ? "No matches found" : shown.text;
  return {
    content: [{ kind: "text", text: [body, ...notes.map((note) => `[${note}]`)].join("\n") }],
    details: { matches: total, files: totalFiles, searched, truncated: last < total || isCapped || shown.isCut },
    effects: "none",
  };
}

/** The files without the matches that earlier pages showed. */
function pageOf(files: readonly StructureFile[], skip: number): StructureFile[] {
  let left = skip;
  return files.flatMap((file) => {
    const matches = file.matches.slice(left);
    left = Math.max(0, left - file.matches.length);
    return matches.length === 0 ? [] : { ...file, matches };
  });
}

async function excerptOf(
  { path, text: whole, matches }: StructureFile,
  tagged: boolean,
  { paths, services }: ToolContext,
): Promise<Excerpt> {
  const lines = whole.split("\n");
  const numbers = matches.flatMap(({ line, lastLine }) =>
    Array.from({ length: Math.min(MOST_LINES, lastLine - line + 1) }, (_, i) => line + i),
  );
  const at = new Map(matches.map(({ line, column }) => [line, column - 1]));
  const { absolute, real } = await paths.locate(path);
  paths.shown.add(real);
  return {
    path,
    tag: tagged ? services.shownFiles?.record(absolute, whole) : undefined,
    hits: [...new Set(numbers)]
      .sort((a, b) => a - b)
      .map((number) => ({ number, text: lines[number - 1] ?? "", isMatch: true, at: at.get(number) })),
    hasMore: false,
    lineAt: (number) => lines[number - 1],
  };
}
