// Models of local servers: tells the user how they call tools, and learns the context window that a server really has.

import type { Middleware } from "@lathe/agent";
import { isLocal } from "../../models/connect.ts";
import type { SessionPart } from "../session-contract.ts";
import type { SessionBase } from "./base.ts";

type Needs = Pick<SessionBase, "models" | "request" | "workspace">;

/** A model on the user's machine may take minutes for a short answer. */
const GRAMMAR_TIMEOUT_MS = 600_000;

export function localModelsPart({ models, request, workspace }: Needs): SessionPart | undefined {
  if (request.adapter) return undefined;
  const isHere = (): boolean => isLocal(models.known, models.current.provider);
  const say = async (context: Parameters<NonNullable<Middleware["afterRound"]>>[0]): Promise<undefined> => {
    for (const message of models.known.local.takeNotices()) context.warn(message, "local_model");
    return undefined;
  };
  return {
    name: "local models",
    middleware: [
      {
        name: "local models",
        afterRound: say,
        beforeStop: (_answer, context) => say(context),
        onOverflow: async (info, context) => {
          if (!isHere()) return undefined;
          const { noteOverflow } = await import("../../models/local/window.ts");
          return noteOverflow(models.known, models.current, info, context);
        },
      },
      {
        name: "local models: calls again",
        timeoutMs: GRAMMAR_TIMEOUT_MS,
        onUnreadable: async (call, context) => {
          if (!isHere() || !workspace.settings["localModels.grammar"]) return undefined;
          const { readUnderGrammar } = await import("../../models/local/grammar.ts");
          return readUnderGrammar(call, context);
        },
      },
    ],
  };
}
