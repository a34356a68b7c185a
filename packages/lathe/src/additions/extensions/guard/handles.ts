// Timers, servers, sockets and threads that an extension opened: they belong to it, and end with it.

import { createHook } from "node:async_hooks";
import { type Culprit, runningExtension } from "./current.ts";

/** Handles that keep a process alive, by node's name, with the word we show. */
const KINDS: Readonly<Record<string, string>> = {
  Timeout: "timer",
  TCPSERVERWRAP: "server",
  PIPESERVERWRAP: "server",
  TCPWRAP: "socket",
  PIPEWRAP: "pipe",
  UDPWRAP: "socket",
  FSEVENTWRAP: "file watcher",
  STATWATCHER: "file watcher",
  SIGNALWRAP: "signal handler",
  WORKER: "thread",
};

interface Handle {
  hasRef?(): boolean;
  close?(): void;
  _destroyed?: boolean;
  stopThread?(): void;
}

interface Opened {
  readonly kind: string;
  readonly handle: WeakRef<Handle>;
}

export class OpenedHandles {
  readonly #opened = new Map<Culprit, Map<number, Opened>>();
  readonly #owners = new Map<number, Culprit>();
  readonly #hook = createHook({
    init: (id, type, _trigger, resource) => {
      const kind = KINDS[type];
      const culprit = kind === undefined ? undefined : runningExtension();
      if (kind === undefined || !culprit) return;
      const own = this.#opened.get(culprit) ?? new Map<number, Opened>();
      this.#opened.set(culprit, own.set(id, { kind, handle: new WeakRef(resource as Handle) }));
      this.#owners.set(id, culprit);
    },
    destroy: (id) => {
      const culprit = this.#owners.get(id);
      if (!culprit) return;
      this.#owners.delete(id);
      this.#opened.get(culprit)?.delete(id);
    },
  });

  watch(): void {
    this.#hook.enable();
  }

  unwatch(): void {
    this.#hook.disable();
  }

  /** Ends what this extension left open and returns how many there were of each kind. */
  end(culprit: Culprit): Map<string, number> {
    const counts = new Map<string, number>();
    for (const [id, { kind, handle }] of this.#opened.get(culprit) ?? []) {
      this.#owners.delete(id);
      const open = handle.deref();
      if (!open || !isOpen(open)) continue;
      endHandle(open);
      if (kind !== "pipe") counts.set(kind, (counts.get(kind) ?? 0) + 1);
    }
    this.#opened.delete(culprit);
    return counts;
  }
}

/** Counts in words, such as `2 timers, 1 server`. */
export const describeCounts = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([kind, count]) => `${count} ${kind}${count === 1 ? "" : plural(kind)}`).join(", ");

const plural = (kind: string): string => (kind.endsWith("s") ? "es" : "s");

const isOpen = (handle: Handle): boolean => handle._destroyed !== true && handle.hasRef?.() === true;

function endHandle(handle: Handle): void {
  if (typeof handle.stopThread === "function") handle.stopThread();
  else if (typeof handle.close === "function") handle.close();
}
