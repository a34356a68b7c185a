// Addresses that are not files: `artifact://3`, `skill://x`. Read and write faces ask here before they touch a path.

import type { Access, CallScope } from "../tool.ts";

/** What an address leads to. */
export interface SchemeContent {
  readonly bytes: Uint8Array;
  readonly mediaType?: string | undefined;
  /** Will never be anything else: a reader may keep it. */
  readonly immutable?: boolean | undefined;
  /** The file that holds it, by absolute path. */
  readonly sourcePath?: string | undefined;
  /** The resolver has taken the wanted part out itself; the number of its first line. */
  readonly firstLine?: number | undefined;
  /** It is text from the web: the page that shows it. */
  readonly page?: string | undefined;
}

/** One address of a scheme, for a search through all of them. */
export interface SchemeEntry {
  readonly url: string;
  /** In a few words, where the name does not say enough. */
  readonly about?: string | undefined;
}

/** Reads and writes addresses of one scheme, such as `note://x`. */
export interface SchemeResolver {
  /** Its texts are for the model to follow: they are read whole, however many lines they have. */
  readonly readsWhole?: boolean;
  /** Lines may be named behind its addresses, as in `artifact://3:1-50`. Otherwise what looks like that belongs to the address. */
  readonly hasSelectors?: boolean;
  /** What reading the address touches besides itself, such as a host. */
  readAccess?(url: string, scope: CallScope): Promise<readonly Access[]>;
  /**
   * `part`: what is wanted of it, for a resolver whose texts are too large to load. Others may ignore it and give everything. `scope`: the
   * call that reads it, if a call does.
   */
  read?(url: string, signal: AbortSignal, part?: WantedPart, scope?: CallScope): Promise<SchemeContent | string>;
  /** All addresses, for `scheme://` itself and for searches. */
  list?(signal: AbortSignal): Promise<readonly SchemeEntry[]>;
  write?(url: string, content: string | Uint8Array, signal: AbortSignal): Promise<void>;
}

/** Lines or characters, both ends included and counted from 1. */
export interface WantedPart {
  readonly unit: "lines" | "chars";
  readonly first: number;
  /** Absent: to the end. */
  readonly last?: number | undefined;
}

const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;

const schemeOf = (url: string): string | undefined => SCHEME.exec(url)?.[1]?.toLowerCase();

/** The addresses that read and write tools resolve before they look for files. */
export class SchemeRegistry {
  readonly #resolvers = new Map<string, SchemeResolver>();

  constructor(resolvers: Readonly<Record<string, SchemeResolver>> = {}) {
    for (const [scheme, resolver] of Object.entries(resolvers)) this.add(scheme, resolver);
  }

  /** Registering a scheme again replaces it. */
  add(scheme: string, resolver: SchemeResolver): void {
    if (!/^[a-z][a-z0-9+.-]*$/.test(scheme)) throw new Error(`"${scheme}" is not a URL scheme`);
    this.#resolvers.set(scheme, resolver);
  }

  remove(scheme: string): void {
    this.#resolvers.delete(scheme);
  }

  /** True when `path` is an address of a known scheme and not a file's path. */
  handles(path: string): boolean {
    const scheme = schemeOf(path);
    return scheme !== undefined && this.#resolvers.has(scheme);
  }

  /** Whether a read without limits gives all of it. */
  readsWhole(path: string): boolean {
    return this.#resolvers.get(schemeOf(path) ?? "")?.readsWhole === true;
  }

  /** Whether lines may be named behind the address. */
  hasSelectors(path: string): boolean {
    return this.#resolvers.get(schemeOf(path) ?? "")?.hasSelectors === true;
  }

  /** The resolver of a scheme, to be given to another registry. */
  pick(scheme: string): Readonly<Record<string, SchemeResolver>> {
    const resolver = this.#resolvers.get(scheme);
    return resolver ? { [scheme]: resolver } : {};
  }

  names(): readonly string[] {
    return [...this.#resolvers.keys()];
  }

  /** All addresses of the scheme that `url` is of; undefined when they cannot be listed. */
  async list(url: string, signal: AbortSignal): Promise<readonly SchemeEntry[] | undefined> {
    return this.#resolver(url).list?.(signal);
  }

  /** What reading it touches besides the address itself. */
  async readAccess(url: string, scope: CallScope): Promise<readonly Access[]> {
    return (await this.#resolver(url).readAccess?.(url, scope)) ?? [];
  }

  async read(url: string, signal: AbortSignal, part?: WantedPart, scope?: CallScope): Promise<SchemeContent> {
    const resolver = this.#resolver(url);
    if (!resolver.read) throw new Error(`${url} cannot be read`);
    const content = await resolver.read(url, signal, part, scope);
    return typeof content === "string" ? { bytes: Buffer.from(content), mediaType: "text/plain" } : content;
  }

  async write(url: string, content: string | Uint8Array, signal: AbortSignal): Promise<void> {
    const resolver = this.#resolver(url);
    if (!resolver.write) throw new Error(`${url} is read only`);
    await resolver.write(url, content, signal);
  }

  #resolver(url: string): SchemeResolver {
    const resolver = this.#resolvers.get(schemeOf(url) ?? "");
    if (!resolver)
      throw new Error(`nothing here resolves ${url}; known schemes: ${[...this.#resolvers.keys()].join(", ")}`);
    return resolver;
  }
}

declare module "../tool.ts" {
  interface ToolServices {
    /** Addresses that read and write faces resolve before paths. */
    readonly schemes?: SchemeRegistry;
  }
}
