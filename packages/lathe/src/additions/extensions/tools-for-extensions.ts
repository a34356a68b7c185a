// The tools that an extension may use wherever its code runs: programs, storage, dialogs.

import type { SessionDeps } from "@lathe/agent";
import type {
  ExtensionDialogOptions,
  ExtensionExec,
  ExtensionStorage,
  ExtensionUi,
} from "../../platform/extension-api/index.ts";
import type { ExtensionScreen } from "../../platform/extension-api/screen.ts";
import { runAsLathe } from "./guard/current.ts";
import type { PausableDeadline } from "./pausable-deadline.ts";

export interface ExtensionTools {
  readonly storage: ExtensionStorage;
  uiFor(deadline: PausableDeadline): ExtensionUi;
  execFor(until: AbortSignal | undefined): ExtensionExec;
}

/** Calls per second beyond this number are dropped. */
const MOST_PER_SECOND = 50;

/** Limits how many calls pass in a second. */
export class RateLimiter {
  readonly #now: () => number;
  readonly #flooded: () => void;
  #second = 0;
  #count = 0;

  constructor(now: () => number, flooded: () => void) {
    this.#now = now;
    this.#flooded = flooded;
  }

  passes(): boolean {
    const second = Math.floor(this.#now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#count = 0;
    }
    this.#count++;
    if (this.#count === MOST_PER_SECOND + 1) this.#flooded();
    return this.#count <= MOST_PER_SECOND;
  }
}

export interface UiParts {
  /** Undefined when no user is present. */
  readonly screen: () => ExtensionScreen | undefined;
  /** Prints a line when there is no screen. */
  readonly say: (line: string) => void;
  readonly rateLimiter: RateLimiter;
  readonly setTimer: SessionDeps["setTimer"];
}

/**
 * Dialogs return their default if no user is present, if their time is up, or if the work that they belong to has
 * ended.
 */
export function extensionUi(parts: UiParts, deadline: PausableDeadline): ExtensionUi {
  const { say, rateLimiter, setTimer } = parts;
  const screen = parts.screen();
  const ask = <T>(
    dialog: ExtensionDialogOptions,
    fallback: T,
    show: (shown: ExtensionScreen, options: ExtensionDialogOptions) => Promise<T>,
  ): Promise<T> => {
    if (!screen) return Promise.resolve(fallback);
    const { timeout, signal } = dialog;
    const signals = [deadline.signal, ...(signal ? [signal] : [])];
    if (signals.some(({ aborted }) => aborted)) return Promise.resolve(fallback);
    return deadline.pauseDuring(
      runAsLathe(async () => {
        const end = new AbortController();
        const close = (): void => end.abort();
        for (const one of signals) one.addEventListener("abort", close, { once: true });
        const timer = timeout === undefined ? undefined : setTimer(close, timeout);
        const gaveUp = new Promise<T>((resolve) => {
          end.signal.addEventListener("abort", () => resolve(fallback), { once: true });
        });
        try {
          const options = { signal: end.signal, ...(timeout === undefined ? {} : { timeout }) };
          return await Promise.race([show(screen, options), gaveUp]);
        } finally {
          timer?.cancel();
          for (const one of signals) one.removeEventListener("abort", close);
        }
      }),
    );
  };
  const show = (work: (shown: ExtensionScreen) => void): void => {
    if (screen && rateLimiter.passes()) runAsLathe(() => work(screen));
  };
  return {
    select: (title, options, dialog = {}) =>
      ask(dialog, undefined, (shown, until) => shown.select(text(title), options.map(text), until)),
    confirm: (title, message = "", dialog = {}) =>
      ask(dialog, false, (shown, until) => shown.confirm(text(title), text(message), until)),
    input: (title, placeholder = "", dialog = {}) =>
      ask(dialog, undefined, (shown, until) => shown.input(text(title), text(placeholder), until)),
    editor: (title, prefill = "") => ask({}, undefined, (shown) => shown.editor(text(title), text(prefill))),
    notify: (message, kind = "info") => {
      if (!rateLimiter.passes()) return;
      runAsLathe(() => (screen ? screen.notify(text(message), kind) : say(text(message))));
    },
    setStatus: (key, value) => show((shown) => shown.setStatus(text(key), value)),
    setWidget: (key, lines) => show((shown) => shown.setWidget(text(key), lines)),
    setTitle: (title) => show((shown) => shown.setTitle(text(title))),
    setEditorText: (value) => show((shown) => shown.setEditorText(text(value))),
    setTheme: (name) => runAsLathe(() => screen?.setTheme?.(text(name)) ?? false),
  };
}

const text = (value: unknown): string => String(value);
