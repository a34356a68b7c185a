// The broker's credentials: a file that only its owner can read, next to the notes on renewals and limits.

import { chmodSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CredentialStore } from "../../../config/credentials/store.ts";

/** Spare room, since an issuer's answer may be longer than the token it replaces. */
const SPARE_BYTES = 64 << 10;
const ROOM = ".room";

export class Vault {
  readonly file: string;
  readonly store: CredentialStore;

  /** Without a keyring, since a server starts without a user who could unlock one. */
  constructor(folder: string) {
    // Resolve links, so that all brokers and commands of a vault take the same locks.
    this.file = realName(join(folder, "vault.json"));
    this.store = new CredentialStore(this.file);
  }

  get folder(): string {
    return dirname(this.file);
  }

  /** Changes whenever the file changes, whichever process wrote it. */
  mark(): string {
    const stat = statSync(this.file, { throwIfNoEntry: false, bigint: true });
    return stat === undefined ? "" : `${stat.ino} ${stat.mtimeNs} ${stat.size}`;
  }

  /**
   * A copied or restored vault may have lost its file modes: makes it private again. Returns whether others had access.
   */
  makePrivate(): boolean {
    let wasOpen = false;
    // A user who can write to the folder can replace the vault.
    for (const [path, bits] of [
      [this.folder, 0o022],
      [this.file, 0o077],
    ] as const) {
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat === undefined || (stat.mode & bits) === 0) continue;
      chmodSync(path, stat.mode & 0o777 & ~bits);
      wasOpen = true;
    }
    return wasOpen;
  }

  /**
   * Reserves the disk space that the next write needs, per account. Throws if there is not enough: then we must not ask
   * the issuer, because its answer could not be stored.
   */
  async takeRoom(id: string): Promise<void> {
    const size = statSync(this.file, { throwIfNoEntry: false })?.size ?? 0;
    const file = this.#room(id);
    try {
      await writeFile(file, Buffer.alloc(size + SPARE_BYTES), { mode: 0o600, flush: true });
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    }
  }

  async freeRoom(id: string): Promise<void> {
    await rm(this.#room(id), { force: true });
  }

  /** Frees what a killed broker left behind. */
  freeAllRoom(): void {
    for (const name of readdirSync(this.folder))
      if (name.endsWith(ROOM)) rmSync(join(this.folder, name), { force: true });
  }

  #room(id: string): string {
    return `${this.file}.${id}${ROOM}`;
  }
}

function realName(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    // The first credential creates the file.
  }
  try {
    return join(realpathSync(dirname(file)), "vault.json");
  } catch {
    return file;
  }
}
