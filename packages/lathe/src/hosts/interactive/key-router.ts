// Routes each key: to the full-screen view, a question, the app's own keys, or the editor.

import type { Bindings, Editor, Key } from "@lathe/tui";
import type { FullScreens } from "./full-screens.ts";
import { HeldKeys, type HoldsFrom, isTyped } from "./held-keys.ts";
import type { PanelStack } from "./panels/panel-stack.ts";

export interface RouterParts {
  readonly bindings: Bindings;
  readonly panels: PanelStack;
  readonly fullScreens: FullScreens;
  readonly editor: Editor;
  /** Handles a key of the app; false if it is none. */
  handleAppKey(key: Key): boolean;
  /** Handles a paste that is more than text, such as a picture; false if it is text. */
  takePasted(text: string): boolean;
}

export class KeyRouter {
  readonly #parts: RouterParts;
  readonly #held = new HeldKeys({ replay: (key) => this.#route(key), isAsking: () => this.#isAsking });

  constructor(parts: RouterParts) {
    this.#parts = parts;
  }

  handle(key: Key): void {
    const { panels, fullScreens } = this.#parts;
    if (key.kind !== "focus") panels.keyPressed();
    const isLate = key.kind === "key" && key.name === "enter" && panels.isEnterLate && !fullScreens.shown;
    if (!isLate && (this.#isAsking || fullScreens.shown || !this.#held.takes(key))) this.#route(key);
    panels.focusWhenDue();
  }

  /** Runs work that asks for secrets: keys typed between two of its questions wait for the next one. */
  holdDuring<T>(from: HoldsFrom, work: () => Promise<T>): Promise<T> {
    return this.#held.during(from, work);
  }

  /** A question that the user asked for is open and gets the held keys. */
  releaseHeld(): void {
    this.#held.release();
  }

  /** Whether the focused panel is one that the user asked for. */
  get #isAsking(): boolean {
    const { focused } = this.#parts.panels;
    return focused !== undefined && !focused.byAgent;
  }

  #route(key: Key): void {
    const { fullScreens, handleAppKey, takePasted, editor } = this.#parts;
    if (fullScreens.shown) fullScreens.shown.handle(key);
    else if (!this.#handlePanelKey(key) && !handleAppKey(key) && !(key.kind === "paste" && takePasted(key.text)))
      editor.handle(key);
  }

  #handlePanelKey(key: Key): boolean {
    const { panels, bindings, handleAppKey } = this.#parts;
    const { focused, shown } = panels;
    if (key.kind === "key" && key.name === "tab" && !key.shift && shown?.byAgent) {
      if (focused) panels.unfocus();
      else panels.focus();
      return true;
    }
    if (!focused) return false;
    if (panels.ignoresKeys && isTyped(key)) return true;
    if (focused.component.handle(key)) return true;
    // Text that is no answer begins a message: the letters after it must not answer by accident.
    if (isText(key) && focused.byAgent) {
      panels.unfocus();
      return false;
    }
    if (key.kind !== "key") return true;
    const isCancel = bindings.match(key, "select") === "tui.select.cancel";
    if (isCancel && !focused.byAgent) focused.cancel();
    // The app's keys still work during a question; text does not reach the composer behind it.
    else handleAppKey(key);
    return true;
  }
}

const isText = (key: Key): boolean =>
  key.kind === "paste" || (key.kind === "key" && key.text !== undefined && !key.ctrl && !key.alt);
