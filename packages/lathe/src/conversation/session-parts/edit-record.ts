// Counts applied and refused edits, from which later sessions learn the edit format.

import type { CallInfo, SeamContext, ToolResult } from "@lathe/agent";
import { addEditCounts, type EditCounts, type EditWay, wayOf } from "../../models/edit-record.ts";
import { LEARNED_VARIANT } from "../learned-variant.ts";
import type { SessionPart } from "../session-contract.ts";
import type { SessionBase } from "./base.ts";

type Needs = Pick<SessionBase, "models" | "request" | "workspace">;

export function editRecordPart({ models, request, workspace }: Needs): SessionPart | undefined {
  const { settings, paths } = workspace;
  if (!settings["localModels.learnEdits"] || request.adapter) return undefined;
  let seen: EditCounts = {};
  const keep = async (): Promise<undefined> => {
    if (Object.keys(seen).length === 0) return undefined;
    const counts = seen;
    seen = {};
    const { provider, id } = models.current;
    await addEditCounts(paths.cache, `${provider}/${id}`, counts);
    return undefined;
  };
  const count = (way: EditWay, isRefused: boolean): void => {
    const { applied, refused } = seen[way] ?? { applied: 0, refused: 0 };
    seen = { ...seen, [way]: isRefused ? { applied, refused: refused + 1 } : { applied: applied + 1, refused } };
  };
  return {
    name: "edit record",
    middleware: [
      {
        name: "edit record",
        afterCall: ({ tool }: CallInfo, { isError = false }: ToolResult, { agentId, signal }: SeamContext) => {
          const way = wayOf(tool.name, models.editVariant);
          // An agent may use another model, so its edits are not counted.
          if (way !== undefined && agentId === undefined && !signal.aborted) count(way, isError);
          return undefined;
        },
        beforeStop: keep,
      },
    ],
    ready: (session) => {
      const variant = models.learnedVariant;
      if (variant !== undefined && !models.isResumed) session.appendCustom(LEARNED_VARIANT, { variant });
    },
    closing: async () => {
      await keep();
    },
  };
}
