// A loaded extension: what it has added, and the only way in which its code is called. Whatever the code does, the
// caller gets a value or an error that names the extension.

import { messageOf } from "@lathe/llm";
import { type Culprit, runAsExtension } from "./guard/current.ts";
import type { Guard } from "./guard/guard.ts";
import { PausableDeadline } from "./pausable-deadline.ts";
import { Registrations } from "./registrations.ts";
import type { ExtensionSource } from "./sources.ts";

/** An error in an extension's code; the message names the extension. */
export class ExtensionFailure extends Error {
  constructor(name: string, what: string, cause: unknown) {
    super(`The extension ${name} failed in ${what}: ${problemOf(cause)}`, { cause });
    this.name = "ExtensionFailure";
  }
}

/** A thrown value in one line; it may be anything. */
function problemOf(cause: unknown): string {
  try {
    const line = (cause instanceof Error ? messageOf(cause) : String(cause)).split("\n", 1)[0] ?? "";
    return line === "" ? "an error without a message" : line.slice(0, 500);
  } catch {
    return "an error that cannot be shown";
  }
}

export interface RunningParts {
  readonly source: ExtensionSource;
  readonly culprit: Culprit;
  readonly guard: Guard;
  readonly deps: ConstructorParameters<typeof PausableDeadline>[0];
  readonly timeoutMs: number;
  /** Called when an event, a command or a shortcut (`what`) has failed. */
  readonly onFailure: (what: string, problem: string) => void;
}

export class RunningExtension {
  readonly source: ExtensionSource;
  readonly culprit: Culprit;
  readonly added = new Registrations();
  readonly #parts: RunningParts;

  constructor(parts: RunningParts) {
    this.#parts = parts;
    this.source = parts.source;
    this.culprit = parts.culprit;
  }

  get name(): string {
    return this.source.name;
  }

  /** The deadline of one call of the extension's code. */
  get timeoutMs(): number {
    return this.#parts.timeoutMs;
  }

  /** Calls the extension's code with the deadline of handlers. Throws an ExtensionFailure. */
  async call<T>(what: string, work: (deadline: PausableDeadline) => T | Promise<T>, outer?: AbortSignal): Promise<T> {
    const { deps, timeoutMs, culprit } = this.#parts;
    const deadline = new PausableDeadline(deps, timeoutMs);
    try {
      return await deadline.waitFor(
        settle(() => runAsExtension(culprit, () => work(deadline))),
        outer,
      );
    } catch (error) {
      throw outer?.aborted ? error : this.#failure(what, error);
    }
  }

  /** Calls code that must return at once, such as a renderer. */
  callNow<T>(what: string, work: () => T): T {
    try {
      return runAsExtension(this.culprit, work);
    } catch (error) {
      throw this.#failure(what, error);
    }
  }

  #failure(what: string, error: unknown): ExtensionFailure {
    this.#parts.onFailure(what, problemOf(error));
    return new ExtensionFailure(this.name, what, error);
  }

  /** Runs the extension's code without wrapping its errors, such as when its file loads. */
  runNow<T>(work: () => T): T {
    return runAsExtension(this.culprit, work);
  }

  /** Runs the extension's code without a deadline, for tool calls and streams, whose callers have their own. */
  async callUnlimited<T>(work: () => T | Promise<T>): Promise<T> {
    return runAsExtension(this.culprit, work);
  }

  remove(): Promise<void> {
    return this.#parts.guard.remove(this.culprit);
  }
}

/** Turns a synchronous throw into a rejection. */
async function settle<T>(work: () => T | Promise<T>): Promise<T> {
  return work();
}
