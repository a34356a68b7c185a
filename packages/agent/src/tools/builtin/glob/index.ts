import { posix } from "node:path";
import { object, optional, type StaticFields, text } from "@lathe/llm/schema";
import { type ToolDef, ToolFailure } from "../../../contract/tool.ts";
import { EnvError } from "../../../world/env/types.ts";
import { countOf, exploringCard } from "../card.ts";
import { fileAccess } from "../file-access.ts";
import { LISTING_OUTPUT } from "../output.ts";
import description from "./description.md";

const params = {
  pattern: text("Glob pattern: **, *, ?, {a,b}, [..]"),
  path: optional(text("Directory to search; the working directory when not given")),
};

/** More than the model is shown; the bound lets the search stop sorting early. */
const MOST = 1_000;

export const globTool: ToolDef<StaticFields<typeof params>> = {
  name: "glob",
  label: "Find files",
  description: description.trim(),
  schema: object(params),
  tier: "read",
  replay: "safe",
  output: LISTING_OUTPUT,
  async access({ pattern, path = "." }, scope) {
    const { globDirectory } = await import("../../../world/env/search/path-glob.ts");
    return fileAccess("read", [posix.resolve(scope.env.resolve(path), globDirectory(pattern))], scope);
  },
  summary: ({ pattern, path }) => (path === undefined ? pattern : `${pattern} in ${path}`),
  card: ({ pattern, path }, result) =>
    exploringCard(
      ["Listing", "Listed", "List"],
      path === undefined ? pattern : `${pattern} in ${path}`,
      result,
      ({ files, truncated }) =>
        typeof files === "number" ? `${countOf(files, "file")}${truncated ? " or more" : ""}` : undefined,
    ),
  async execute({ pattern, path = "." }, { env, signal }) {
    try {
      const { paths, truncated } = await env.glob(pattern, path, { signal, maxResults: MOST });
      const more = truncated ? `\n[these are the ${MOST} newest files; more match: use a narrower pattern]` : "";
      return {
        content: [{ kind: "text", text: paths.length === 0 ? "No files found" : paths.join("\n") + more }],
        details: { files: paths.length, truncated },
        effects: "none",
      };
    } catch (error) {
      if (error instanceof EnvError) throw new ToolFailure(error.message);
      throw error;
    }
  },
};
