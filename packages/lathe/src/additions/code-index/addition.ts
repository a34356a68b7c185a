// The code index as an addition to sessions, for the tool `repo_map`. The index is read only when the tool is called.

import { ToolFailure } from "@lathe/agent";
import { LARGEST_INDEXED } from "@lathe/agent/files";
import type { RepoMapper } from "@lathe/agent/tools";
import type { AdditionMaker } from "../../conversation/session-contract.ts";
import type { SharedCodeIndexes } from "./shared-code-indexes.ts";

const COLUMNS = 120;

export const codeIndexAddition =
  (shared: SharedCodeIndexes): AdditionMaker =>
  async (workspace) => {
    const indexes = shared.enter(workspace);
    const repoMap: RepoMapper = async ({ path, tokens }, env, signal) => {
      if (path?.startsWith("..")) throw new ToolFailure("Only the working directory can be mapped.");
      const index = await (await indexes.open()).for(env);
      const { showMap } = await import("./show-map.ts");
      const code = await index.rank(path || undefined, signal);
      const searchable = await index.searchable(env, signal);
      const mayShow = (one: string): boolean => searchable.has(one);
      const hint = "give `path`, or more `tokens`";
      const map = showMap(code, {
        path: path || undefined,
        tokens,
        columns: COLUMNS,
        isCut: index.isCut,
        mayShow,
        hint,
      });
      if (map !== undefined) return map;
      const stat = path ? await env.stat(env.resolve(path)) : undefined;
      const isLarge = stat?.kind === "file" && stat.size > LARGEST_INDEXED;
      return isLarge
        ? `${path} is not in the index: it is larger than ${LARGEST_INDEXED / 1000} kB.`
        : `The index knows no definitions in ${path || "this project"}.`;
    };
    return {
      name: "code index",
      services: { repoMap },
      close: () => indexes.leave(),
    };
  };
