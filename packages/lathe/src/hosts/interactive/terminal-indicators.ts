// What the terminal itself shows: its title, and a notification when a long turn ends while the window has no focus.

import { basename } from "node:path";
import type { SessionEvent } from "@lathe/agent";
import type { Settings } from "../../config/settings/schema.ts";
import type { Surface } from "./surface.ts";

/** A user who has waited this long may have turned to something else. */
const LONG_MS = 20_000;

export interface IndicatorParts {
  readonly env: NodeJS.ProcessEnv;
  readonly settings: Settings;
  readonly surface: Surface;
  cwd(): string;
}

export class TerminalIndicators {
  readonly #parts: IndicatorParts;
  readonly #titles: boolean;
  readonly #notifications: boolean;
  readonly #notifiesOfQuestions: boolean;
  #since = 0;
  #named = "";

  constructor(parts: IndicatorParts) {
    this.#parts = parts;
    const { env, settings } = parts;
    const isOff = ["off", "0", "false"].includes(env["LATHE_NOTIFICATIONS"] ?? "");
    this.#titles = settings["terminal.title"];
    this.#notifiesOfQuestions = settings["ask.notify"];
    this.#notifications = settings["terminal.notifications"] && !isOff;
  }

  /** Shows the title of the session. */
  name(title: string): void {
    this.#named = title;
    this.#title("");
  }

  event(event: SessionEvent): void {
    if (event.kind === "session_start") this.#named = "";
    if (event.kind === "session_start" || event.kind === "processing_end") this.#title("");
    if (event.kind === "user_input") {
      this.#since = event.timestamp;
      this.#title("working");
    }
    if (event.kind === "tool_call_start" && event.data.card.asks && this.#notifiesOfQuestions)
      this.#notify("Waiting for input");
    if (event.kind === "approval_request") this.#notify("Lathe is waiting for your answer");
    if (event.kind === "processing_end" && event.timestamp - this.#since >= LONG_MS)
      this.#notify(event.data.reason === "completed" ? "Lathe is done" : `Lathe stopped: ${event.data.reason}`);
  }

  #title(state: string): void {
    if (!this.#titles) return;
    const cwd = this.#parts.cwd();
    this.#parts.surface.terminal.setTitle(`${state === "" ? "" : "● "}lathe · ${this.#named || basename(cwd) || cwd}`);
  }

  /** Notifies the user, unless the window has the focus. */
  #notify(text: string): void {
    if (this.#notifications && !this.#parts.surface.hasFocus) this.#parts.surface.terminal.notify(text);
  }
}
