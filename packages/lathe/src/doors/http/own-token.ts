// The token of a server that has only one, in a file that only its owner can read. The file is read again when it
// changes, so that a new token replaces the old one at once.

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

  /** Creates the token if there is none. */
  async token(): Promise<string> {
    return this.#readToken() ?? (await this.#make(false));
  }

  /** Makes the previous token invalid. */
  regenerate(): Promise<string> {
    return this.#make(true);
  }

  /** Compares in constant time. */
  isToken(given: string): boolean {
    const stat = statSync(this.file, { throwIfNoEntry: false });
    if (stat === undefined) return false;
    const mark = `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
    if (this.#read?.mark !== mark) {
      const stored = this.#readToken();
      this.#read = { mark, hash: stored === undefined ? undefined : hashOf(stored) };
    }
    const { hash } = this.#read;
    return hash !== undefined && isSecret(given, hash);
  }

  #readToken(): string | undefined {
    const text = readTextFile(this.file)?.trim();
    if (text === undefined || text === "") return undefined;
    // A copied or restored file may have lost its mode: make it private before using it.
    if ((statSync(this.file).mode & 0o077) !== 0) chmodSync(this.file, 0o600);
    return text;
  }

  async #make(isNew: boolean): Promise<string> {
    await mkdir(dirname(this.file), { recursive: true, mode: 0o700 });
    let token = newToken();
    await withFileLock(this.file, async () => {
      // If two processes start at once, the second takes the token of the first.
      const stored = isNew ? undefined : this.#readToken();
      if (stored === undefined) await replaceFile(this.file, `${token}\n`);
      else token = stored;
    });
    return token;
  }
}
