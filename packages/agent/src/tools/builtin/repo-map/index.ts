// repo_map: the most referenced definitions of a project. The host owns the index; this tool is the interface for the
// model.

import { posix } from "node:path";
import { integer, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import { type CallScope, type ToolDef, ToolFailure } from "../../../contract/tool.ts";
import type { ExecutionEnvironment } from "../../../world/env/types.ts";
import { exploringCard } from "../card.ts";
import { fileAccess } from "../file-access.ts";
import description from "./description.md";

declare module "../../../contract/tool.ts" {
  interface ToolServices {
    readonly repoMap?: RepoMapper;
  }
}

/** The options of a map. */
export interface RepoMapRequest {
  /** The folder or file to map, relative to the working directory; outside of it, the path begins with `..`. */
  readonly path?: string | undefined;
  readonly tokens: number;
}

/** Makes maps. Fails with ToolFailure if it cannot make one. */
export type RepoMapper = (request: RepoMapRequest, env: ExecutionEnvironment, signal: AbortSignal) => Promise<string>;

/** Limits on the size of a map. */
export const MAP_TOKENS = { usual: 2000, least: 100, most: 20_000 };

const params = {
  path: optional(text("A folder or file of the project")),
  tokens: optional(
    integer({
      description: `About how long the map may be; ${MAP_TOKENS.usual} when not given`,
      minimum: MAP_TOKENS.least,
      maximum: MAP_TOKENS.most,
    }),
  ),
};

type Args = StaticFields<typeof params>;

const summary = ({ path }: Args): string => path ?? "the project";

export const repoMapTool: ToolDef<Args> = {
  name: "repo_map",
  label: "Map the project",
  description: description.trim(),
  schema: object(params),
  tier: "read",
  replay: "safe",
  loadMode: "discoverable",
  needs: ["repoMap"],
  output: { chars: MAP_TOKENS.most * 5, mode: "head" },
  access: async ({ path }, scope) => [
    { kind: "read", path: scope.env.workingDirectory(), search: true },
    ...(path === undefined ? [] : await fileAccess("read", [path], scope)),
  ],
  summary,
  card: (args, result) => exploringCard(["Mapping", "Mapped", "Map"], summary(args), result, () => undefined),
  async execute({ path, tokens = MAP_TOKENS.usual }, { env, signal, paths, services }) {
    const about = path === undefined ? undefined : await insidePath(path, paths, env);
    return services.repoMap!({ path: about, tokens }, env, signal);
  },
};

async function insidePath(path: string, paths: CallScope["paths"], env: ExecutionEnvironment): Promise<string> {
  if ((await paths.locate(path)).stat === undefined) throw new ToolFailure(`${path} does not exist.`);
  return posix.relative(env.workingDirectory(), await paths.searchRoot(path));
}
