// The token of a server that has one: a file that only its owner can read. It is read again when it has changed, so that a new token
// replaces the old one at once.

import { chmodSync, statSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { readTextFile, replaceFile, withFileLock } from "../../platform/home/json-file.ts";
import { hashOf, isSecret, newToken } from "./secrets.ts";

export class OwnToken {
  readonly file: string;
  #read: { readonly mark: string; readonly hash: string | undefined } | undefined;

  constructor(file: string) {
    this.file = file;
  }

  /** Made when there is none. */
  async token(): Promise<string> {
    return this.#stored() ?? (await this.#make(false));
  }

  /** From now on the one before is refused. */
  regenerate(): Promise<string> {
    return this.#make(true);
  }

  /** Compares in constant time. */
  isToken(given: string): boolean {
    const stat = statSync(this.file, { throwIfNoEntry: false });
    if (stat === undefined) return false;
    const mark = `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
    if (this.#read?.mark !== mark) {
      const stored = this.#stored();
      this.#read = { mark, hash: stored === undefined ? undefined : hashOf(stored) };
    }
    const { hash } = this.#read;
    return hash !== undefined && isSecret(given, hash);
  }

  #stored(): string | undefined {
    const text = readTextFile(this.file)?.trim();
    if (text === undefined || text === "") return undefined;
    // Copied or restored with other rights: it is made private before it counts.
    if ((statSync(this.file).mode & 0o077) !== 0) chmodSync(this.file, 0o600);
    return text;
  }

  async #make(isNew: boolean): Promise<string> {
    await mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
    let token = newToken();
    await withFileLock(this.file, async () => {
      // Of two that start at once, the second one takes what the first one has made.
      const stored = isNew ? undefined : this.#stored();
      if (stored === undefined) await replaceFile(this.file, `${token}\n`);
      else token = stored;
    });
    return token;
  }
}
