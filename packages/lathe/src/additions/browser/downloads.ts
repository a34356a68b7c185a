// The downloads of a tab: the browser writes them into a folder of its own, and the next result makes artifacts of
// them.

import { constants } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import type { ToolContext } from "@lathe/agent";
import type { CDPSession, Protocol } from "puppeteer-core";

/** How long a result waits for a running download. */
const SETTLE_MS = 2000;
const MOST_BYTES = 64 << 20;
const MOST_FILES = 100;
const LONGEST_NAME = 100;

interface Download {
  readonly name: string;
  state: Protocol.Page.DownloadProgressEvent["state"];
  received: number;
  isTooLarge: boolean;
}

export class Downloads {
  readonly #folder: string;
  readonly #cancel: (guid: string) => Promise<unknown>;
  readonly #files = new Map<string, Download>();
  #onEnd: () => void = () => {};

  private constructor(folder: string, cancel: (guid: string) => Promise<unknown>) {
    this.#folder = folder;
    this.#cancel = cancel;
  }

  /**
   * `session`: a session in which page events are enabled. `folder`: the browser's download folder, by the path that
   * this process uses.
   */
  static watch(session: CDPSession, folder: string, cancel: (guid: string) => Promise<unknown>): Downloads {
    const downloads = new Downloads(folder, cancel);
    session.on("Page.downloadWillBegin", (event) => downloads.#begin(event));
    session.on("Page.downloadProgress", (event) => downloads.#note(event));
    return downloads;
  }

  /** Lines about the downloads since the last call. */
  async take(context: Pick<ToolContext, "openArtifact">): Promise<string[]> {
    await this.#settle();
    const lines: string[] = [];
    for (const [guid, file] of this.#files) {
      const { name, state, received, isTooLarge } = file;
      if (state === "inProgress") {
        lines.push(`- ${name}: ${received} bytes so far`);
        continue;
      }
      this.#files.delete(guid);
      if (isTooLarge) lines.push(`- ${name}: refused, it is larger than ${MOST_BYTES >> 20} MiB`);
      else if (state === "canceled") lines.push(`- ${name}: did not finish`);
      else lines.push(`- ${name}: ${await this.#keep(guid, context)}`);
    }
    return lines.length === 0 ? [] : ["Downloads:", ...lines];
  }

  #begin({ guid, suggestedFilename }: Protocol.Page.DownloadWillBeginEvent): void {
    const name = suggestedFilename.replace(/[\p{Cc}/]/gu, "_").slice(0, LONGEST_NAME);
    if (this.#files.size < MOST_FILES)
      this.#files.set(guid, { name, state: "inProgress", received: 0, isTooLarge: false });
    else this.#cancel(guid).catch(() => {});
  }

  #note({ guid, state, receivedBytes, totalBytes }: Protocol.Page.DownloadProgressEvent): void {
    const file = this.#files.get(guid);
    if (!file) return;
    Object.assign(file, { state, received: receivedBytes });
    if (Math.max(receivedBytes, totalBytes) > MOST_BYTES && !file.isTooLarge) {
      file.isTooLarge = true;
      // The download may have ended by itself.
      this.#cancel(guid).catch(() => {});
    }
    if (!this.#isLoading()) this.#onEnd();
  }

  #isLoading(): boolean {
    return [...this.#files.values()].some(({ state }) => state === "inProgress");
  }

  async #settle(): Promise<void> {
    if (!this.#isLoading()) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, SETTLE_MS);
      this.#onEnd = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#onEnd = () => {};
  }

  /** The browser can put anything into that folder, including links to other files. */
  async #keep(guid: string, { openArtifact }: Pick<ToolContext, "openArtifact">): Promise<string> {
    if (!/^[\w-]+$/.test(guid)) return "has no name";
    const path = join(this.#folder, guid);
    try {
      const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        if (!(await file.stat()).isFile()) return "is no file";
        const artifact = openArtifact("download");
        let left = MOST_BYTES;
        for await (const chunk of file.createReadStream({ autoClose: false })) {
          const bytes = (chunk as Buffer).subarray(0, left);
          left -= bytes.length;
          artifact.write(bytes);
          if (left === 0) break;
        }
        const { id, bytes } = await artifact.close();
        return `${bytes} bytes, artifact://${id}`;
      } finally {
        await file.close();
      }
    } catch {
      return "could not be read";
    } finally {
      await rm(path, { force: true });
    }
  }
}
