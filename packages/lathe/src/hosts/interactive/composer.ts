// What the user types until it is sent: the text, its pictures, and the history of prompts.

import type { InputPart } from "@lathe/agent";
import type { Editor, Mark } from "@lathe/tui";
import type { ComposerHistory } from "./composer-history.ts";
import type { ConversationLink } from "./conversation-link.ts";
import type { Pictures } from "./pictures/pictures.ts";

export interface ComposerParts {
  readonly editor: Editor;
  readonly pictures: Pictures;
  readonly history: ComposerHistory;
  readonly link: ConversationLink;
  /** The folder under which the history records the prompt. */
  cwd(): string;
  /** Shows a text as sent. */
  showSent(text: string): void;
}

export class Composer {
  readonly editor: Editor;
  readonly #parts: ComposerParts;

  constructor(parts: ComposerParts) {
    this.editor = parts.editor;
    this.#parts = parts;
  }

  /** Sends a text that has left the editor. */
  submit(text: string, marks: readonly Mark[]): void {
    const attached = this.#parts.pictures.partsOf(marks);
    this.#record(text);
    void this.#parts.link.tell((controller) => controller.say(text, attached));
  }

  /** Empties the editor and shows the text as sent. Returns its attachments, such as pictures. */
  take(text: string): readonly InputPart[] {
    const attached = this.#parts.pictures.partsOf(this.editor.marks());
    this.editor.clear();
    this.#record(text);
    return attached;
  }

  /** Empties the editor without sending; the text stays in the history of this run. */
  clear(): void {
    this.#parts.history.keep(this.editor.value());
    this.editor.erase();
  }

  /** Puts text in front of what is typed, for the user to edit and send. */
  prefill(text: string): void {
    this.editor.text = this.editor.isEmpty ? text : `${text}\n${this.editor.text}`;
  }

  /** Lets the user choose an earlier prompt. */
  async choosePrompt(): Promise<void> {
    const prompt = await this.#parts.history.choose();
    if (prompt !== undefined) this.editor.text = prompt;
  }

  pastePicture(): Promise<void> {
    return this.#parts.pictures.pasteFromClipboard();
  }

  #record(text: string): void {
    this.#parts.showSent(text);
    this.#parts.history.add(text, this.#parts.cwd());
  }
}
