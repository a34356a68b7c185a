// Records how the calls of a session change files, so that the changes can be undone. The code is loaded with the first
// call that may change something.

import type { Middleware, Session, SessionEvent, SessionOptions } from "@lathe/agent";
import { mayChangeFiles, type Rewinder } from "@lathe/agent/files";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { usageError } from "../../platform/usage/exit.ts";
import type { FileHistoryParts, OpenedSnapshots } from "./open-snapshots.ts";

export interface FileHistory {
  readonly aroundExecute: NonNullable<SessionOptions["aroundExecute"]>;
  /** Records a change of files that is not a call. */
  aroundLanding(paths: readonly string[], write: () => Promise<void>): Promise<void>;
  /** The change becomes a step of its own. It is undone with the message that reports it, if there is one. */
  endLanding(toldBy: string | undefined): void;
  readonly middleware: Middleware;
  follow(event: SessionEvent): void;
  settle(): Promise<void>;
  rewinder(session: Session): Promise<Rewinder>;
  /** Finishes a rewind during which an earlier process was killed. */
  finishCut(session: Session): Promise<void>;
}

/** Why a session cannot be rewound. */
export function noHistory({ settings, view }: Workspace): Error {
  if (!settings["rewind.enabled"])
    return usageError("Rewind is off. To turn it on for later sessions: lathe config set rewind.enabled true");
  if (view)
    return usageError("A run in an isolated copy cannot be rewound. To drop all of its changes: /worktree discard");
  return usageError("/undo needs a saved session. This one is not saved, for example because of --no-session.");
}

export function fileHistory(parts: FileHistoryParts): FileHistory {
  let loading: Promise<OpenedSnapshots> | undefined;
  let opened: OpenedSnapshots | undefined;
  const load = (): Promise<OpenedSnapshots> => {
    loading ??= import("./open-snapshots.ts").then(({ openSnapshots }) => {
      opened = openSnapshots(parts);
      return opened;
    });
    return loading;
  };
  const rewinder = async (session: Session): Promise<Rewinder> => (await load()).rewinder(session);
  return {
    aroundExecute: async (call, run) =>
      mayChangeFiles(call) ? (await load()).snapshots.aroundExecute(call, run) : run(),
    aroundLanding: async (paths, write) => (await load()).snapshots.aroundChange(paths, write),
    endLanding: (toldBy) => opened?.snapshots.changeEnded(toldBy),
    middleware: { name: "snapshots", beforeRequest: () => opened?.snapshots.roundEnded() },
    follow: ({ kind }) => {
      if (kind === "processing_end") opened?.snapshots.roundEnded();
    },
    settle: async () => opened?.snapshots.settle(),
    rewinder,
    finishCut: async (session) => {
      const last = parts.journal.lastOutside("snapshot");
      if (last?.phase !== "before" || !last.rewind) return;
      const done = await (await rewinder(session)).finishCut();
      const { leftLines } = await import("./report.ts");
      const left = done ? leftLines(done, parts.workspace.cwd) : [];
      parts.warn(["An interrupted rewind has been finished.", ...left].join(" "), "rewind_finished");
    },
  };
}
