// The permission modes that were chosen for served sessions. A journal does not keep its session's mode, and a session that is closed
// because nobody uses it must not come back with wider rights.

import { PERMISSION_MODES, type PermissionMode } from "@lathe/agent/policy";
import { messageOf } from "@lathe/llm";
import type { WatchedDoor } from "../../local/listen.ts";
import { WATCHER } from "./served-sessions.ts";
import { SessionNotes } from "./session-notes.ts";

export class ChosenModes {
  readonly #notes: SessionNotes;
  readonly #tell: (line: string) => void;

  /** `tell`: one line for whoever runs the server. */
  constructor(folder: string, tell: (line: string) => void) {
    this.#notes = new SessionNotes(folder);
    this.#tell = tell;
  }

  /** Undefined when none was chosen: the settings decide. */
  of(id: string): PermissionMode | undefined {
    const text = this.#notes.read(id);
    return PERMISSION_MODES.find((mode) => mode === text);
  }

  /** Those of sessions that are gone are forgotten. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of this.#notes.list()) if (!ids.has(id)) this.#notes.remove(id);
  }

  /** Notes the mode that the session begins with, and each that is chosen later, by whomever and in whichever session it leads to. */
  follow(door: WatchedDoor, first: PermissionMode | undefined): void {
    let mode = first;
    const note = (chosen: PermissionMode | undefined): void => {
      mode = chosen;
      if (mode !== undefined && this.of(door.sessionId) !== mode) this.#keep(door.sessionId, mode);
    };
    note(first);
    door.watchCommands((name, params) => {
      if (name === "set_permission_mode") note(params["mode"] as PermissionMode);
    });
    door.watch((frame) => {
      if (frame.kind === "session") note(mode);
      // The answer to a plan changes the mode, too.
      if (mode === "plan" && frame.kind === "event" && frame.event.type === "tool_execution_end")
        void door.command(WATCHER, "get_state", {}).then(
          ({ permissionMode }) => note(permissionMode),
          () => {}, // The session has ended: what was noted stays.
        );
    });
  }

  /** The session works without it, and a full disk must not end the server. */
  #keep(id: string, mode: PermissionMode): void {
    try {
      this.#notes.write(id, mode);
    } catch (error) {
      this.#tell(`Session ${id}: its permission mode cannot be kept for the next time: ${messageOf(error)}`);
    }
  }
}
