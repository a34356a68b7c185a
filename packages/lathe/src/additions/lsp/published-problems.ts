// The problems that a server publishes by itself, and whether a list belongs to the text that the server has.

import { toPath } from "./addresses.ts";
import type { ChangeWaiter } from "./change-waiter.ts";
import { type Problem, problemsIn } from "./protocol.ts";

interface Published {
  readonly problems: readonly Problem[];
  readonly version: number | undefined;
  /** Number of lists published so far, to order lists that have no version. */
  readonly at: number;
}

/** Some servers publish syntax errors first and the rest right after. */
const QUIET_MS = 200;
const MOST_PUBLISHED = 2000;

export class PublishedProblems {
  readonly #lists = new Map<string, Published>();
  readonly #waits: ChangeWaiter;
  #count = 0;

  constructor(waits: ChangeWaiter) {
    this.#waits = waits;
  }

  /** Number of lists published so far. */
  get count(): number {
    return this.#count;
  }

  /** Stores a list. If there are too many, those of files that are not open go first. */
  take({ uri, version, diagnostics }: Readonly<Record<string, unknown>>, isShown: (path: string) => boolean): void {
    const path = typeof uri === "string" ? toPath(uri) : undefined;
    if (path === undefined) return;
    this.#lists.delete(path);
    this.#lists.set(path, {
      problems: problemsIn(diagnostics),
      version: typeof version === "number" ? version : undefined,
      at: ++this.#count,
    });
    for (const other of this.#lists.keys()) {
      if (this.#lists.size <= MOST_PUBLISHED) break;
      if (!isShown(other)) this.#lists.delete(other);
    }
  }

  /** `since`: the number of lists when this version was sent. */
  isAbout(path: string, version: number, since: number): boolean {
    const list = this.#lists.get(path);
    if (list === undefined) return false;
    return list.version === undefined ? list.at > since : list.version >= version;
  }

  problemsOf(path: string): readonly Problem[] | undefined {
    return this.#lists.get(path)?.problems;
  }

  pathsSince(count: number): string[] {
    return [...this.#lists].flatMap(([path, { at }]) => (at > count ? [path] : []));
  }

  /** Resolves when nothing was published for a while. */
  async waitUntilQuiet(signal?: AbortSignal): Promise<void> {
    for (let at = -1; at !== this.#count; ) {
      at = this.#count;
      await this.#waits.waitFor(() => this.#count !== at, QUIET_MS, signal);
    }
  }
}
