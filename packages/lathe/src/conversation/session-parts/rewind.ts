// Records what calls do to files, so that it can be rewound.

import type { SessionPart } from "../session-contract.ts";
import type { SessionBase } from "./base.ts";

export function rewindPart({ history }: Pick<SessionBase, "history">): SessionPart | undefined {
  if (!history) return undefined;
  return {
    name: "rewind",
    middleware: [history.middleware],
    around: { aroundExecute: history.aroundExecute, beforeClose: history.settle },
    onEvent: (event) => history.follow(event),
    ready: (session) => history.finishCut(session),
  };
}
