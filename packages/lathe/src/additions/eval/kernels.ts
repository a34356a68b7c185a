// The kernels of a session and its agents: one per language, environment and folder. A kernel ends when idle, to make
// room for another, or with the session.

import { ToolFailure } from "@lathe/agent";
import { type Cell, type CellEnd, type CellHost, type CellLanguage, LANGUAGE_NAMES } from "@lathe/agent/tools";
import { Kernel } from "./kernel.ts";

const MOST_KERNELS = 4;
const IDLE_MS = 5 * 60_000;
/** A kernel that dies more often than this restarts only when a cell asks for it. */
const MOST_DEATHS = 1;

export interface KernelsOptions {
  readonly isTrusted: () => boolean;
  /** Whether each Python cell gets a kernel of its own. */
  readonly perCall?: boolean;
  /** How long a kernel lives without use; five minutes if absent. */
  readonly idleMs?: number;
}

interface Slot {
  readonly language: CellLanguage;
  kernel?: Promise<Kernel> | undefined;
  deaths: number;
  /** How the last kernel was lost, until the next cell reports it. */
  lost?: string | undefined;
  idle?: NodeJS.Timeout;
}

export class Kernels {
  readonly #options: KernelsOptions;
  /** In the order of their last use. */
  readonly #slots = new Map<string, Slot>();
  #isClosed = false;

  constructor(options: KernelsOptions) {
    this.#options = options;
  }

  async run(cell: Cell, host: CellHost): Promise<CellEnd> {
    if (this.#isClosed) throw new ToolFailure("The session has ended.");
    const { language } = cell;
    const key = JSON.stringify([language, host.env.identity, host.env.workingDirectory()]);
    const slot: Slot = this.#slots.get(key) ?? { language, deaths: 0 };
    this.#slots.delete(key);
    this.#slots.set(key, slot);
    clearTimeout(slot.idle);
    const isAlone = language === "py" && this.#options.perCall === true;
    if (cell.reset || isAlone) await endKernel(slot);
    if (cell.reset) Object.assign(slot, { deaths: 0, lost: undefined });
    if (slot.deaths > MOST_DEATHS)
      throw new ToolFailure(
        `The ${LANGUAGE_NAMES[language]} kernel has died ${slot.deaths} times (it ${slot.lost}). Give reset: true to start it again.`,
      );
    const lost = slot.kernel === undefined ? slot.lost : undefined;
    await this.#makeRoom(language);
    if (this.#isClosed) throw new ToolFailure("The session has ended.");
    const kernel = await this.#kernelOf(slot, host);
    slot.lost = undefined;
    try {
      const end = await kernel.run(cell, host);
      if (isAlone) await endKernel(slot);
      return lost === undefined
        ? end
        : { ...end, note: [restartNote(language, lost), end.note].filter(Boolean).join("\n") };
    } finally {
      clearTimeout(slot.idle);
      slot.idle = setTimeout(() => void this.#endIdle(slot), this.#options.idleMs ?? IDLE_MS).unref();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#slots.values()].map(endKernel));
  }

  // ---- internals ----

  #kernelOf(slot: Slot, { env }: CellHost): Promise<Kernel> {
    if (slot.kernel) return slot.kernel;
    const { language } = slot;
    const started = Kernel.start({ language, env, isTrusted: this.#options.isTrusted() });
    slot.kernel = started;
    const forget = (how?: string): void => {
      if (slot.kernel !== started) return;
      slot.kernel = undefined;
      if (how === undefined) return;
      slot.deaths++;
      slot.lost = how;
    };
    started.then(
      (kernel) => kernel.ended.then(forget),
      () => forget(),
    );
    return started;
  }

  /** Ends the least recently used kernels when there are too many. */
  async #makeRoom(language: CellLanguage): Promise<void> {
    const live = [...this.#slots.values()].filter((slot) => slot.language === language && slot.kernel);
    for (const slot of live) {
      if (live.filter(({ kernel }) => kernel).length < MOST_KERNELS) return;
      // A kernel that fails to start is reported to its own cell.
      const kernel = await slot.kernel?.catch(() => undefined);
      if (kernel?.isBusy === false) await this.#endIdle(slot, "made room for another one");
    }
  }

  async #endIdle(slot: Slot, why = "was not used for a while"): Promise<void> {
    if (!slot.kernel || (await slot.kernel).isBusy) return;
    slot.lost = why;
    await endKernel(slot);
  }
}

async function endKernel(slot: Slot): Promise<void> {
  clearTimeout(slot.idle);
  const { kernel } = slot;
  slot.kernel = undefined;
  // A kernel that never started needs no end.
  await kernel?.then(
    (one) => one.stop(),
    () => {},
  );
}

const restartNote = (language: CellLanguage, why: string): string =>
  `This is a new ${LANGUAGE_NAMES[language]} kernel: the one before ${why}, and its variables are gone.`;
