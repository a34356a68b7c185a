import { integer, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import { type ToolDef, ToolFailure } from "../../../contract/tool.ts";
import { countOf, exploringCard } from "../card.ts";
import { fileAccess } from "../file-access.ts";
import { LISTING_OUTPUT } from "../output.ts";
import description from "./description.md";

const params = {
  path: optional(text("Directory to list; the working directory when not given")),
  depth: optional(integer({ description: "How many levels to list; 1 when not given", minimum: 1, maximum: 10 })),
};

export const listDirTool: ToolDef<StaticFields<typeof params>> = {
  name: "list_dir",
  label: "List",
  description: description.trim(),
  schema: object(params),
  tier: "read",
  replay: "safe",
  output: LISTING_OUTPUT,
  access: ({ path = "." }, scope) => fileAccess("read", [path], scope),
  summary: ({ path = "." }) => path,
  card: ({ path = "." }, result) =>
    exploringCard(["Listing", "Listed", "List"], path, result, ({ entries }) =>
      typeof entries === "number" ? countOf(entries, "entry", "entries") : undefined,
    ),
  async execute({ path = ".", depth = 1 }, { env, paths }) {
    const { stat, real } = await paths.locate(path);
    if (!stat || stat.kind === "dangling")
      throw new ToolFailure(`Directory not found: ${path}. Search for its name to find the right path.`);
    if (stat.kind !== "directory") throw new ToolFailure(`${path} is a file. Read it with read_file.`);
    const entries = [...(await env.listDirectory(real, depth))].sort((a, b) =>
      depth === 1 && a.isDir !== b.isDir ? (a.isDir ? -1 : 1) : a.name < b.name ? -1 : 1,
    );
    const lines = entries.map((entry) => (entry.isDir ? `${entry.name}/` : `${entry.name}  ${entry.size ?? 0}`));
    return {
      content: [{ kind: "text", text: lines.length > 0 ? lines.join("\n") : "(empty directory)" }],
      details: { path, entries: entries.length },
      effects: "none",
    };
  },
};
