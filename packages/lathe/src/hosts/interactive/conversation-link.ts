// Access to the conversation, which opens after the screen: what the user sends before then waits here.

import type { Controller } from "./controller.ts";

type Say = (controller: Controller) => Promise<void>;

export interface LinkParts {
  /** Shows why an input failed. */
  showError(message: string): void;
  /** Called when the screen has to be drawn again. */
  onChange(): void;
}

export class ConversationLink {
  readonly #parts: LinkParts;
  readonly #early: Say[] = [];
  #controller: Controller | undefined;

  constructor(parts: LinkParts) {
    this.#parts = parts;
  }

  /** Undefined until the conversation is open. */
  get controller(): Controller | undefined {
    return this.#controller;
  }

  open(controller: Controller): void {
    this.#controller = controller;
    for (const say of this.#early.splice(0)) void this.tell(say);
    this.#parts.onChange();
  }

  async tell(say: Say): Promise<void> {
    if (!this.#controller) {
      this.#early.push(say);
      return;
    }
    try {
      await say(this.#controller);
    } catch (error) {
      this.#parts.showError((error as Error).message);
    }
    this.#parts.onChange();
  }
}
