// Addresses that are not files: `artifact://3`, `skill://x`. Read and write faces ask here before they touch a path.

/** What an address leads to. */
export interface SchemeContent {
  readonly bytes: Uint8Array;
  readonly mediaType?: string | undefined;
}

/** Reads and writes addresses of one scheme, such as `note://x`. */
export interface SchemeResolver {
  /** Its texts are for the model to follow: they are read whole, however many lines they have. */
  readonly readsWhole?: boolean;
  read?(url: string, signal: AbortSignal): Promise<SchemeContent | string>;
  write?(url: string, content: string | Uint8Array, signal: AbortSignal): Promise<void>;
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

  async read(url: string, signal: AbortSignal): Promise<SchemeContent> {
    const resolver = this.#resolver(url);
    if (!resolver.read) throw new Error(`${url} cannot be read`);
    const content = await resolver.read(url, signal);
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

declare module "../contract/tool.ts" {
  interface ToolServices {
    /** Addresses that read and write faces resolve before paths. */
    readonly schemes?: SchemeRegistry;
  }
}
