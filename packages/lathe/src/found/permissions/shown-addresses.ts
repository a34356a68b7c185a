// The addresses that this session was shown: by the user, by instruction files, by pages and by searches. They come
// only from the journal and the instruction files, so a resumed, forked or compacted session knows the same ones
// (decision 0342).

import { textOfContent } from "@lathe/agent/base";
import type { JournalReader, MessageEntry, NestedCallEntry, TreeEntry } from "@lathe/agent/contract";
import { addressKey, linksIn } from "@lathe/agent/files";

/** Type of the journal entry with the addresses that a user typed. */
export const TYPED = "typed_addresses";

/** The choice among many links tells the host something, so only this many are followed without a question. */
const MOST_CHOSEN = 10;
/** Links kept of one site to choose from. */
const MOST_LINKS = 500;

const NOT_SHOWN =
  "this address was not shown: neither you, an instruction file, a search nor a page has named exactly it";

export interface ShownOptions {
  /** The journal of the session itself, not of a subagent. */
  readonly journal: JournalReader;
  /**
   * The texts of instruction files: with `folder` those of a folder below the working directory, without it those of
   * the prompt.
   */
  readonly instructions?: (folder: string | undefined, isWritten: IsWritten) => Promise<readonly string[]>;
}

/** Whether this session has changed the file: text that it wrote itself shows nothing. */
export type IsWritten = (path: string) => boolean;

export class ShownAddresses {
  readonly #options: ShownOptions;
  /** Addresses that the user or an instruction file named. */
  readonly #named = new Set<string>();
  readonly #namedHosts = new Set<string>();
  readonly #typed = new Set<string>();
  /** Addresses that only pages and searches have shown, by site. */
  readonly #pages = new Map<string, Set<string>>();
  /** How often one of those was requested, by site. */
  readonly #chosen = new Map<string, number>();
  #lastSource = "";
  /** Number of entries read from each journal. */
  readonly #seen = new Map<string, number>();
  readonly #written = new Set<string>();
  /** Folders whose instruction files the model received; those of the prompt are always included. */
  readonly #folders = new Set<string | undefined>([undefined]);
  readonly #instructions = new Map<string | undefined, Promise<void>>();
  #openTyped: ((address: string) => void) | undefined;

  constructor(options: ShownOptions) {
    this.#options = options;
  }

  /** `open` receives each address that the user typed, including those in earlier processes. */
  followTyped(open: (address: string) => void): void {
    this.#openTyped = open;
    for (const address of this.#typed) open(address);
  }

  /** Call this before a port is judged: an address typed since then opens it. */
  readTyped(): void {
    this.#scan(this.#options.journal, true);
  }

  /** Reads what is new. `journal` belongs to the agent that makes the call. */
  async update(journal: JournalReader): Promise<void> {
    this.readTyped();
    if (journal.header.id !== this.#options.journal.header.id) this.#scan(journal, false);
    await Promise.all([...this.#folders].map((folder) => this.#readInstructions(folder)));
  }

  /** Reads each folder once; the calls of one answer wait for the same read. */
  #readInstructions(folder: string | undefined): Promise<void> {
    const known = this.#instructions.get(folder) ?? this.#instructionsOf(folder);
    this.#instructions.set(folder, known);
    return known;
  }

  async #instructionsOf(folder: string | undefined): Promise<void> {
    const texts = (await this.#options.instructions?.(folder, (path) => this.#written.has(path))) ?? [];
    for (const text of texts) for (const address of linksIn(text)) this.#name(address);
  }

  isShown(url: string): boolean {
    const key = addressKey(url) ?? "";
    return this.#named.has(key) || [...this.#pages.values()].some((links) => links.has(key));
  }

  /** Why the address may not be read without a question; undefined if it was shown. */
  problem(url: string): string | undefined {
    const key = addressKey(url);
    if (key === undefined)
      return URL.canParse(url) && /^https?:/i.test(url)
        ? "the address holds a user name or a password"
        : "it is not a complete web address";
    if (this.#named.has(key)) return undefined;
    if (!this.isShown(key)) return NOT_SHOWN;
    const { hostname } = new URL(key);
    const site = siteOf(hostname);
    if (this.#namedHosts.has(hostname) || (this.#chosen.get(site) ?? 0) < MOST_CHOSEN) return undefined;
    const read = site === NUMBERS ? site : `addresses of ${site}`;
    return `${MOST_CHOSEN} ${read} were read, which only pages have shown: which links are followed tells it something`;
  }

  /** Counts a request for this address, the first or a repeated one. */
  choose(url: string): void {
    const key = addressKey(url);
    if (key === undefined || this.#named.has(key)) return;
    const { hostname } = new URL(key);
    const site = siteOf(hostname);
    if (!this.#namedHosts.has(hostname)) this.#chosen.set(site, (this.#chosen.get(site) ?? 0) + 1);
  }

  /** Adds a link from a page that was shown. */
  addLink(link: string): void {
    const key = addressKey(link);
    if (key === undefined) return;
    const { hostname } = new URL(key);
    const site = siteOf(hostname);
    const links = this.#pages.get(site) ?? new Set<string>();
    if (links.size < MOST_LINKS || this.#namedHosts.has(hostname)) links.add(key);
    this.#pages.set(site, links);
  }

  #name(address: string): void {
    this.#named.add(address);
    this.#namedHosts.add(new URL(address).hostname);
  }

  /** Choices of an earlier process count too; those of this process are counted when they are decided. */
  #scan(journal: JournalReader, isMain: boolean): void {
    const { id } = journal.header;
    const before = this.#seen.get(id);
    let at = 0;
    for (const entryId of journal.entryIds()) {
      if (at++ < (before ?? 0)) continue;
      const type = journal.meta(entryId)?.type;
      if (type === "message" || type === "nested_call" || type === "custom")
        this.#take(journal.entry(entryId), isMain, before === undefined);
    }
    this.#seen.set(id, at);
  }

  #take(entry: TreeEntry, isMain: boolean, isEarlier: boolean): void {
    // The user did not type what a subagent was told.
    if (entry.type === "custom" && entry.customType === TYPED && isMain) this.#takeTyped(entry.data);
    if (entry.type !== "message" && entry.type !== "nested_call") return;
    for (const { path } of entry.changes ?? []) this.#written.add(path);
    if (isMain && entry.type === "message" && entry.origin === "injected") this.#takeFolders(entry);
    this.#takeFromWeb(entry, isEarlier);
  }

  #takeTyped(data: unknown): void {
    for (const typed of Array.isArray(data) ? data : []) {
      const address = typeof typed === "string" ? addressKey(typed) : undefined;
      if (address === undefined) continue;
      this.#name(address);
      this.#typed.add(address);
      this.#openTyped?.(address);
    }
  }

  #takeFolders({ message }: MessageEntry): void {
    const text = textOfContent(message.content);
    for (const [, folder = ""] of text.matchAll(/^<instructions folder="(.+)">$/gm)) this.#folders.add(folder);
  }

  #takeFromWeb({ fromWeb }: MessageEntry | NestedCallEntry, isEarlier: boolean): void {
    if (!fromWeb) return;
    // Consecutive parts of one page were read from memory.
    if (isEarlier && fromWeb.source !== this.#lastSource)
      for (const source of fromWeb.source.split(", ")) this.choose(source);
    this.#lastSource = fromWeb.source;
    for (const link of fromWeb.links) this.addLink(link);
  }
}

const NUMBERS = "addresses by number";

/**
 * The owner of a domain owns the names below it, so a choice among those reveals as much as one among paths. All IP
 * addresses count as one site.
 */
function siteOf(hostname: string): string {
  if (/^\[|^[\d.]+$/.test(hostname)) return NUMBERS;
  return hostname.replace(/\.$/, "").split(".").slice(-2).join(".");
}

/** The addresses in the user's text, including those without `https://`, which a model would add. */
export function typedAddresses(whole: string): readonly string[] {
  const text = whole.slice(0, MOST_TYPED_TEXT);
  const bare = [...text.matchAll(BARE)].map(
    ([, address = ""]) => `${LOCAL.test(address) ? "http" : "https"}://${address.replace(/[.,;:!?'")\]]+$/, "")}`,
  );
  return [...linksIn(text), ...bare.flatMap((address) => addressKey(address) ?? [])];
}

/** A longer text was pasted. */
const MOST_TYPED_TEXT = 200_000;
const LOCAL = /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d+){3}|\[::1\])(?::|\/|$)/i;
/** A host with a port or a path, or one that begins with www. */
const BARE =
  /(?<![\w@/.:-])((?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\]):\d{1,5}(?:\/[^\s<>"`]*)?|www\.[\w.-]+\.[a-z]{2,}(?:[:/][^\s<>"`]*)?|(?:[a-z\d-]+\.)+[a-z]{2,}\/[^\s<>"`]*)/gi;
