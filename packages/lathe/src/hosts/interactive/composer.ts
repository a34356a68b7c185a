// What the user types, until it is sent: the text, the pictures in it, and what was typed earlier.

import type { ContentPart } from "@lathe/llm";
import type { Editor, Mark } from "@lathe/tui";
import type { ComposerHistory } from "./composer-history.ts";
import type { ConversationLink } from "./conversation-link.ts";
import type { Pictures } from "./pictures/pictures.ts";

export interface ComposerParts {
  readonly editor: Editor;
  readonly pictures: Pictures;
  readonly history: ComposerHistory;
  readonly link: ConversationLink;
  /** The folder that the prompt belongs to in the history. */
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

  /** Empties the editor and shows the text as sent. Returns what goes with it, such as pictures. */
  take(text: string): readonly ContentPart[] {
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

  /** Puts text before what is typed, to be edited and sent. */
  prefill(text: string): void {
    this.editor.text = this.editor.isEmpty ? text : `${text}\n${this.editor.text}`;
  }

  /** Lets the user choose one of all earlier prompts. */
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
