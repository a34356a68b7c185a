// The permission mode of each served session, one file each, so that a restarted process or server does not stop asking
// if the user chose that it asks. Plan mode is in the journal.

import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PERMISSION_MODES, type PermissionMode } from "@lathe/agent/policy";
import type { CommandName } from "../../../hosts/rpc/commands.ts";
import { readIfReadable } from "../../../platform/home/small-file.ts";
import type { Door } from "../../door/door.ts";
import { WATCHER } from "./served-sessions.ts";

export class StoredModes {
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

  /** The process of one session shows another session now and keeps its mode. */
  onMove(from: string, to: string): void {
    const mode = this.#read(from);
    if (mode !== undefined) this.keep(to, mode);
  }

  /** Called for each command that a session has carried out. */
  onCommand(id: string, name: CommandName, params: unknown): void {
    if (name === "set_permission_mode") this.keep(id, (params as { readonly mode: PermissionMode }).mode);
  }

  /** Restores the mode before a reopened session does anything. A session in plan mode returns to it after planning. */
  async restore(door: Door): Promise<void> {
    const mode = this.#read(door.sessionId);
    if (mode === undefined) return;
    const { permissionMode } = await door.command(WATCHER, "get_state", {});
    if (permissionMode === mode) return;
    await door.command(WATCHER, "set_permission_mode", { mode });
    if (permissionMode === "plan") await door.command(WATCHER, "set_permission_mode", { mode: "plan" });
  }

  #read(id: string): PermissionMode | undefined {
    const text = readIfReadable(join(this.#folder, id))?.trim();
    return PERMISSION_MODES.find((mode) => mode === text);
  }
}
