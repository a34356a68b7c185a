// The broker's credentials: a file of its own that only its owner can read, beside what is known of renewals and limits.

import { chmodSync, readdirSync, realpathSync, rmSync, statSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { CredentialStore } from "../../../config/credentials/store.ts";

/** An answer of an issuer may be longer than what it replaces. */
const SPARE_BYTES = 64 << 10;
const ROOM = ".room";

export class Vault {
  readonly file: string;
  readonly store: CredentialStore;

  /** No keyring: a server starts without a person who unlocks one. */
  constructor(folder: string) {
    // All brokers and commands of one vault take the same locks, by whatever name they reach it.
    this.file = realName(join(folder, "vault.json"));
    this.store = new CredentialStore(this.file);
  }

  get folder(): string {
    return dirname(this.file);
  }

  /** Differs when the file has been changed, by whomever. */
  mark(): string {
    const stat = statSync(this.file, { throwIfNoEntry: false, bigint: true });
    return stat === undefined ? "" : `${stat.ino} ${stat.mtimeNs} ${stat.size}`;
  }

  /** Copied or restored with other rights: what others could read or replace is made private. True: they could. */
  makePrivate(): boolean {
    let wasOpen = false;
    // Who may write into the folder can put another vault in the place of this one.
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
   * Takes as much of the disk as the next write will need, under the name of an account. Throws where there is not so much: then
   * the issuer must not be asked, because its answer could not be kept.
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

  /** What a broker that was killed has left. */
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
    // It is made with the first credential.
  }
  try {
    return join(realpathSync(dirname(file)), "vault.json");
  } catch {
    return file;
  }
}
