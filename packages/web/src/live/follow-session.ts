// Keeps the page's view of a session up to date, reconnecting as needed: a snapshot with the last entries, the frames
// after it, and older entries on request.

import { type DoorFrame, type LatheClient, LatheServerError } from "lathe/client";
import { problemOf } from "../base/problem.ts";
import type { SessionAction } from "../state/session.ts";

/** A little more than a phone shows at once. */
const FIRST_ENTRIES = 80;
const OLDER_ENTRIES = 400;
const AGAIN_MS = 1_000;

export interface SessionLink {
  readonly client: LatheClient;
  readonly id: string;
  readonly dispatch: (action: SessionAction) => void;
  /** Called when the door switches to another session. */
  readonly onOtherSession: (id: string) => void;
}

/** Ends with the signal, or with the session. */
export async function followSession(link: SessionLink, signal: AbortSignal): Promise<void> {
  for (let isOver = false; !isOver && !signal.aborted; ) {
    try {
      isOver = (await followOnce(link, signal)) === "over";
    } catch (error) {
      if (signal.aborted) return;
      isOver = !isPassing(error);
      if (isOver) link.dispatch({ type: "failed", problem: problemOf(error), isUnknown: isUnknown(error) });
      else link.dispatch({ type: "connection", isConnected: false });
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

/** The server went away between the snapshot and its entries. */
const isPassing = (error: unknown): boolean =>
  error instanceof LatheServerError && (error.status === 0 || error.status >= 500);

const isUnknown = (error: unknown): boolean => error instanceof LatheServerError && error.status === 404;

/** `again` means that what was read is outdated and must be read anew. */
async function followOnce({ client, id, dispatch, onOtherSession }: SessionLink, signal: AbortSignal) {
  const onConnection = (isConnected: boolean): void => dispatch({ type: "connection", isConnected });
  for await (const frame of client.follow(id, { signal, onConnection })) {
    if (signal.aborted) return "over";
    if (frame.kind === "session") onOtherSession(frame.sessionId);
    else if (frame.kind === "snapshot") {
      const page = await client.command(id, "get_entries", { before: null, limit: FIRST_ENTRIES });
      if (!signal.aborted) dispatch({ type: "opened", snapshot: frame.snapshot, page });
    } else dispatch({ type: "frame", frame });
    if (isOfOtherBranch(frame)) return "again";
  }
  return "over";
}

const isOfOtherBranch = (frame: DoorFrame): boolean =>
  frame.kind === "event" && frame.event.type === "lathe:tree_moved";

/** Reads the entries before the first one known. */
export async function readOlder({ client, id, dispatch }: SessionLink, first: string): Promise<void> {
  dispatch({ type: "older", page: await client.command(id, "get_entries", { before: first, limit: OLDER_ENTRIES }) });
}

/** Reads what `get_state` reports about the session. */
export async function readState({ client, id, dispatch }: SessionLink): Promise<void> {
  const [state, queue, { agents }] = await Promise.all([
    client.command(id, "get_state"),
    client.command(id, "get_queue"),
    client.command(id, "get_agents"),
  ]);
  dispatch({ type: "state", state, queue, agents });
}
