// Pages that were read in a session, so that reading more lines of one needs no request. Bounded; the least recently
// read pages are dropped first.

import type { OpenedImage, OpenedText } from "../target/opened.ts";

declare module "../../contract/tool.ts" {
  interface ToolServices {
    readonly pages?: PageCache;
  }
}

/** A page as it is shown, without selector. */
export type CachedPage = (Omit<OpenedText, "selector"> | OpenedImage) & {
  /** The address after redirects. */
  readonly url: string;
  /** The base of its links; absent if it shows none. */
  readonly base?: string | undefined;
};

const MOST_PAGES = 40;
const MOST_LENGTH = 20 << 20;

/** The pages that a session has read. */
export class PageCache {
  readonly #pages = new Map<string, { readonly page: CachedPage; readonly length: number }>();
  #length = 0;

  /** The raw and the rendered form of an address are separate pages. */
  get(url: string, isRaw: boolean): CachedPage | undefined {
    const key = keyOf(url, isRaw);
    const found = this.#pages.get(key);
    if (!found) return undefined;
    this.#pages.delete(key);
    this.#pages.set(key, found);
    return found.page;
  }

  has(url: string, isRaw: boolean): boolean {
    return this.#pages.has(keyOf(url, isRaw));
  }

  /** Stores the page under every address that led to it. */
  keep(urls: readonly string[], isRaw: boolean, page: CachedPage): void {
    const length =
      page.kind === "text" ? page.lines.reduce((sum, line) => sum + line.length + 1, 0) : page.bytes.length;
    for (const url of new Set(urls)) {
      this.#drop(keyOf(url, isRaw));
      this.#pages.set(keyOf(url, isRaw), { page, length });
      this.#length += length;
    }
    for (const key of [...this.#pages.keys()]) {
      if (this.#pages.size <= MOST_PAGES && this.#length <= MOST_LENGTH) break;
      this.#drop(key);
    }
  }

  #drop(key: string): void {
    this.#length -= this.#pages.get(key)?.length ?? 0;
    this.#pages.delete(key);
  }
}

const keyOf = (url: string, isRaw: boolean): string => `${isRaw ? "raw" : "text"} ${url}`;
