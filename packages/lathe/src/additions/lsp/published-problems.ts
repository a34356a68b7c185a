// The problems that a server publishes by itself, and whether a list is about the text that it was shown.

import { toPath } from "./addresses.ts";
import type { ChangesAwaited } from "./changes-awaited.ts";
import { type Problem, problemsIn } from "./protocol.ts";

interface Published {
  readonly problems: readonly Problem[];
  readonly version: number | undefined;
  /** How many lists had been published with it, so that an older list is told from a newer one without a version. */
  readonly at: number;
}

/** Some servers publish syntax errors first and the others right after. */
const QUIET_MS = 200;
const MOST_PUBLISHED = 2000;

export class PublishedProblems {
  readonly #lists = new Map<string, Published>();
  readonly #waits: ChangesAwaited;
  #count = 0;

  constructor(waits: ChangesAwaited) {
    this.#waits = waits;
  }

  /** How many lists were published. */
  get count(): number {
    return this.#count;
  }

  /** Keeps a list. When there are too many, those of files that were not shown go first. */
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

  /** `since`: how many lists there were when this version was sent. */
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

  /** Until nothing was published for a while. */
  async quiet(signal?: AbortSignal): Promise<void> {
    for (let at = -1; at !== this.#count; ) {
      at = this.#count;
      await this.#waits.until(() => this.#count !== at, QUIET_MS, signal);
    }
  }
}
