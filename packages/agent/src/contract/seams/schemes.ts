// Addresses that are not files: `artifact://3`, `skill://x`. Tools that read and write consult this registry before
// they treat a path as a file.

import type { Access, CallScope } from "../tool.ts";

/** The content of an address. */
export interface SchemeContent {
  readonly bytes: Uint8Array;
  readonly mediaType?: string | undefined;
  /** The content never changes, so a reader may cache it. */
  readonly immutable?: boolean | undefined;
  /** Absolute path of the file that holds the content. */
  readonly sourcePath?: string | undefined;
  /** The resolver has already selected the wanted part; this is the number of its first line. */
  readonly firstLine?: number | undefined;
  /** The text is from the web; this is the page that shows it. */
  readonly page?: string | undefined;
}

/** One address of a scheme, for listing and searching. */
export interface SchemeEntry {
  readonly url: string;
  /** A few words, if the name is not clear enough. */
  readonly about?: string | undefined;
}

/** Reads and writes addresses of one scheme, such as `note://x`. */
export interface SchemeResolver {
  /** The texts are instructions for the model: they are read whole, however many lines they have. */
  readonly readsWhole?: boolean;
  /** Addresses may have a line selector, as in `artifact://3:1-50`. Otherwise such a suffix is part of the address. */
  readonly hasSelectors?: boolean;
  /** What reading the address touches in addition, such as a host. */
  readAccess?(url: string, scope: CallScope): Promise<readonly Access[]>;
  /**
   * `part`: the wanted part, for resolvers whose texts are too large to load; others may ignore it and return
   * everything. `scope`: the call that reads the address, if any.
   */
  read?(url: string, signal: AbortSignal, part?: WantedPart, scope?: CallScope): Promise<SchemeContent | string>;
  /** All addresses, for reading `scheme://` itself and for searches. */
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

  /** True if `path` is an address of a known scheme rather than a file path. */
  handles(path: string): boolean {
    const scheme = schemeOf(path);
    return scheme !== undefined && this.#resolvers.has(scheme);
  }

  /** Whether a read without limits returns the whole text. */
  readsWhole(path: string): boolean {
    return this.#resolvers.get(schemeOf(path) ?? "")?.readsWhole === true;
  }

  /** Whether the address may have a line selector. */
  hasSelectors(path: string): boolean {
    return this.#resolvers.get(schemeOf(path) ?? "")?.hasSelectors === true;
  }

  /** The resolver of a scheme, to pass to another registry. */
  pick(scheme: string): Readonly<Record<string, SchemeResolver>> {
    const resolver = this.#resolvers.get(scheme);
    return resolver ? { [scheme]: resolver } : {};
  }

  names(): readonly string[] {
    return [...this.#resolvers.keys()];
  }

  /** All addresses of the scheme of `url`; undefined if they cannot be listed. */
  async list(url: string, signal: AbortSignal): Promise<readonly SchemeEntry[] | undefined> {
    return this.#resolver(url).list?.(signal);
  }

  /** What reading the address touches in addition. */
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
    /** Addresses that tools resolve before file paths. */
    readonly schemes?: SchemeRegistry;
  }
}
