// The permission mode of each served session, in a file each: whoever chose that a session asks is not to find that it has gone on without
// asking, because its process or the server was started again meanwhile. Plan mode is in the journal.

import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PERMISSION_MODES, type PermissionMode } from "@lathe/agent/policy";
import type { CommandName } from "../../../hosts/rpc/commands.ts";
import { readIfReadable } from "../../../platform/home/small-file.ts";
import type { Door } from "../../door/door.ts";
import { WATCHER } from "./served-sessions.ts";

export class KeptModes {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  keep(id: string, mode: PermissionMode): void {
    if (mode === "plan") return;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const file = join(this.#folder, id);
    writeFileSync(`${file}.tmp`, `${mode}\n`, { mode: 0o600 });
    renameSync(`${file}.tmp`, file);
  }

  /** The process of one session is in another one now, with the mode that it has. */
  moved(from: string, to: string): void {
    const mode = this.#of(from);
    if (mode !== undefined) this.keep(to, mode);
  }

  /** A command that a session has carried out. */
  heard(id: string, name: CommandName, params: unknown): void {
    if (name === "set_permission_mode") this.keep(id, (params as { readonly mode: PermissionMode }).mode);
  }

  /** Before a session that was opened again does anything. One that is planning comes back to the mode afterwards. */
  async restore(door: Door): Promise<void> {
    const mode = this.#of(door.sessionId);
    if (mode === undefined) return;
    const { permissionMode } = await door.command(WATCHER, "get_state", {});
    if (permissionMode === mode) return;
    await door.command(WATCHER, "set_permission_mode", { mode });
    if (permissionMode === "plan") await door.command(WATCHER, "set_permission_mode", { mode: "plan" });
  }

  #of(id: string): PermissionMode | undefined {
    const text = readIfReadable(join(this.#folder, id))?.trim();
    return PERMISSION_MODES.find((mode) => mode === text);
  }
}
