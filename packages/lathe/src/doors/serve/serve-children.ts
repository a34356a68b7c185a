// `lathe serve`: a server for any number of sessions, each in its own child process.

import type { Workspace } from "../../config/workspace/workspace.ts";
import { homePaths } from "../../platform/home/paths.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { type ChildDoorOptions, openChildDoor } from "../door/child-door.ts";
import type { RunningServer } from "../http/guarded.ts";
import type { Limits, Tls } from "../http/listen.ts";
import { removeDeadDoors } from "../local/dead-doors.ts";
import { listenLocally } from "../local/listen.ts";
import { TokenFile } from "./guard/token-file.ts";
import { startServer } from "./server.ts";
import { type DoorRequest, LiveSessions } from "./sessions/live-sessions.ts";
import { Roots } from "./sessions/roots.ts";
import { SavedSessions } from "./sessions/saved-sessions.ts";
import { SessionsElsewhere } from "./sessions/sessions-elsewhere.ts";
import { StoredModes } from "./sessions/stored-modes.ts";
import { UnfinishedWork } from "./sessions/unfinished-work.ts";

export interface ChildrenOptions {
  readonly machine: Machine;
  /** Existing folders, with links resolved. */
  readonly roots: readonly string[];
  /** A session that is unused for this long is closed. */
  readonly idleMs: number;
  /** The server's own workspace, opened on first use. */
  readonly workspace: () => Promise<Workspace>;
  /** The program of the children; by default this command. */
  readonly command?: ChildDoorOptions["command"];
  /** Maximum number of session processes. */
  readonly mostOpen?: number;
}

export interface ServeOptions extends ChildrenOptions {
  readonly version: string;
  readonly host: string;
  readonly port: number;
  readonly tls?: Tls | undefined;
  readonly limits?: Partial<Limits>;
}

export interface ServingChildren extends RunningServer {
  readonly tokens: TokenFile;
  readonly sessions: LiveSessions;
  /** With `forgets`, running work is not continued at the next start. */
  end(how: { readonly forgets: boolean }): Promise<void>;
}

const MOST_OPEN = 32;

export async function serveChildren(options: ServeOptions): Promise<ServingChildren> {
  const { machine } = options;
  const { deps } = machine;
  const paths = homePaths(machine.env, machine.userHome);
  const tokens = new TokenFile(paths.serveTokens, deps.now);
  const sessions = sessionsInChildren(options);
  try {
    const server = await startServer({ ...options, tokens, sessions, deps });
    // Removes the doors of killed servers and editors.
    await removeDeadDoors(paths.doors);
    void sessions.continueUnfinished();
    const end: ServingChildren["end"] = async (how) => {
      await Promise.all([server.close(), sessions.closeAll(how)]);
    };
    return { ...server, tokens, sessions, end };
  } catch (error) {
    await sessions.closeAll({ forgets: false });
    throw error;
  }
}

/** Sessions below the roots: each opens in its own child, or is joined if another process has it open. */
export function sessionsInChildren(options: ChildrenOptions): LiveSessions {
  const { machine, roots, idleMs, workspace, command } = options;
  const { deps, stderr } = machine;
  const paths = homePaths(machine.env, machine.userHome);
  const served = new Roots(roots);
  const ownSockets = new Set<string>();
  return new LiveSessions({
    roots: served,
    saved: new SavedSessions(workspace, served),
    unfinished: new UnfinishedWork(paths.serveWork),
    modes: new StoredModes(paths.serveModes),
    openDoor: (request, onCommand) =>
      openChildDoor({ deps, command, onCommand, cwd: request.cwd, env: childEnv(machine.env), args: argsOf(request) }),
    // Ends with the door.
    openLocally: async (door, cwd, release) => {
      const { socket } = await listenLocally(door, { folder: paths.doors, pid: machine.pid, cwd, release });
      ownSockets.add(socket);
    },
    held: new SessionsElsewhere({
      folder: paths.doors,
      host: machine.host,
      isOwn: (socket) => ownSockets.has(socket),
      setTimer: deps.setTimer,
    }),
    now: deps.now,
    setTimer: deps.setTimer,
    idleMs,
    mostOpen: options.mostOpen ?? MOST_OPEN,
    note: (line) => stderr.write(`lathe: ${line}\n`),
  });
}

function argsOf({ path, model, permissionMode }: DoorRequest): string[] {
  return [
    ...(path === undefined ? [] : ["--session", path]),
    ...(model === undefined ? [] : ["--model", model]),
    ...(permissionMode === undefined ? [] : ["--permission-mode", permissionMode]),
  ];
}

/** The server's environment without its own secrets, since the agent's commands see their process's variables. */
function childEnv(env: Machine["env"]): Readonly<Record<string, string | undefined>> {
  const own = Object.keys(env).filter((name) => name.startsWith("LATHE_BRIDGE_"));
  return { ...env, ...Object.fromEntries(own.map((name) => [name, undefined])) };
}
