// Lathe's own tmux sessions: how they are tagged, listed, found and closed. Other tmux sessions are never touched.

import { usageError } from "../../platform/usage/exit.ts";
import { isSessionName } from "./profile.ts";
import type { Tmux } from "./tmux.ts";

/** Who created a session, and for which work. */
export interface Tags {
  /** `terminal` for a user with `lathe --tmux`. */
  readonly owner: string;
  readonly project: string;
  readonly branch?: string | undefined;
}

interface ManagedPane {
  /** Such as `%3`. */
  readonly paneId: string;
  /** Id of the Lathe session in the pane; absent before that is open. */
  readonly latheSession?: string;
}

export interface ManagedSession extends Tags {
  readonly name: string;
  /** Such as `$3`. */
  readonly id: string;
  readonly isAttached: boolean;
  /** Seconds since 1970. */
  readonly created: number;
  readonly panes: readonly ManagedPane[];
}

/** The tag contains the session's id, so a tag that was set globally marks no session as ours. */
const ownerTag = (owner: string, sessionId: string): string => `${owner}@${sessionId}`;
/** Must change when the tags change their meaning. */
const PROFILE = "1";

export const tagArgs = (sessionId: string, tags: Tags): (readonly string[])[] =>
  (
    [
      ["@lathe-owner", ownerTag(tags.owner, sessionId)],
      ["@lathe-profile", PROFILE],
      ["@lathe-project", tags.project],
      ["@lathe-branch", tags.branch ?? ""],
    ] as const
  ).map(([name, value]) => ["set-option", "-t", sessionId, name, oneLine(value)]);

/** Records which Lathe session is in a pane. */
export const tagPane = (paneId: string, latheSession: string): readonly string[] => [
  ...["set-option", "-p", "-t", paneId],
  ...["@lathe-session", latheSession],
];

// Rows of the list are lines, so line breaks must go. tmux does not expand user options, so other characters are safe.
const oneLine = (text: string): string => text.replace(/[\p{Cc}␞]/gu, "?");

const FIELDS = [
  "session_id",
  "session_name",
  "pane_id",
  "session_attached",
  "session_created",
  "@lathe-owner",
  "@lathe-branch",
  "@lathe-session",
  "@lathe-project",
];
/** Printable, because tmux may replace control characters. */
const SEPARATOR = "␞";
const FORMAT = FIELDS.map((name) => `#{${name}}`).join(SEPARATOR);

export async function listManaged(tmux: Tmux): Promise<readonly ManagedSession[]> {
  const { code, stdout, stderr } = await tmux.ask(["list-panes", "-a", "-F", FORMAT]);
  if (code !== 0 && isWithoutServer(stderr)) return [];
  if (code !== 0) throw usageError(`tmux list-panes failed: ${stderr.trim().split("\n")[0]}.`);
  const sessions = new Map<string, ManagedSession>();
  for (const row of stdout.split("\n")) {
    const [id = "", name = "", paneId = "", attached, created, tag = "", branch = "", latheSession = "", project = ""] =
      row.split(SEPARATOR);
    const at = tag.lastIndexOf("@");
    const owner = tag.slice(0, at);
    if (at < 1 || tag !== ownerTag(owner, id)) continue;
    const pane: ManagedPane = { paneId, ...(latheSession === "" ? {} : { latheSession }) };
    const known = sessions.get(id);
    sessions.set(id, {
      ...{ id, name, owner, project },
      ...(branch === "" ? {} : { branch }),
      isAttached: attached !== "0",
      created: Number(created),
      panes: [...(known?.panes ?? []), pane],
    });
  }
  return [...sessions.values()];
}

/** Undefined if there is no session of this name, or it is not ours. */
export async function findManaged(tmux: Tmux, name: string): Promise<ManagedSession | undefined> {
  if (!isSessionName(name)) return undefined;
  return (await listManaged(tmux)).find((one) => one.name === name);
}

/** Hangs up its panes, as if a terminal were closed. Returns false if no session of ours has this name. */
export async function closeManaged(tmux: Tmux, name: string): Promise<boolean> {
  const session = await findManaged(tmux, name);
  if (!session) return false;
  await tmux.run(["kill-session", "-t", session.id]);
  return true;
}

const isWithoutServer = (stderr: string): boolean => /no server running|error connecting|no such file/i.test(stderr);
