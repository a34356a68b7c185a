// Pictures in the composer: each is a mark in the text, and goes with what is sent as long as its mark is there.

import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { imageType, MOST_IMAGE_BYTES } from "@lathe/agent/files";
import type { ContentPart } from "@lathe/llm";
import type { Mark } from "@lathe/tui";
import type { ScreenView } from "../screen-view.ts";
import { droppedPaths } from "./dropped-files.ts";

export class Pictures {
  readonly #view: ScreenView;
  readonly #parts = new Map<number, ContentPart>();
  #count = 0;

  constructor(view: ScreenView) {
    this.#view = view;
  }

  /** Ctrl+V. */
  async pasteFromClipboard(): Promise<void> {
    const { clipboardPicture } = await import("./clipboard.ts");
    const found = await clipboardPicture(this.#view.machine);
    if (found.kind === "picture") this.#add(found.bytes);
    else this.#view.hint(found.kind === "none" ? "There is no picture on the clipboard." : found.message);
  }

  /** Whether the pasted text was nothing but paths of pictures. */
  takePasted(text: string): boolean {
    const files = droppedPaths(text)?.map((path) => this.#pictureIn(path));
    if (files === undefined || files.length === 0 || files.some((bytes) => bytes === undefined)) return false;
    for (const bytes of files) if (bytes) this.#add(bytes);
    return true;
  }

  /** What the marks of a text stand for. */
  partsOf(marks: readonly Mark[]): ContentPart[] {
    return marks.flatMap(({ id, kind }) => (kind === "attachment" ? (this.#parts.get(id) ?? []) : []));
  }

  #add(bytes: Uint8Array): void {
    const mediaType = imageType(bytes);
    if (mediaType === undefined) return;
    const { editor } = this.#view;
    // Numbers begin anew with each message.
    if (!editor.marks().some(({ kind }) => kind === "attachment")) {
      this.#count = 0;
      this.#parts.clear();
    }
    const mark = editor.addAttachmentMark(`[picture #${++this.#count}]`);
    this.#parts.set(mark.id, { kind: "image", image: { data: bytes, mediaType } });
    this.#view.screen.changed();
  }

  #pictureIn(path: string): Uint8Array | undefined {
    const { userHome, cwd } = this.#view.machine;
    const file = path.startsWith("~/") ? join(userHome, path.slice(2)) : resolve(cwd, path);
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found?.isFile() || found.size > MOST_IMAGE_BYTES) return undefined;
    try {
      const bytes = readFileSync(file);
      return imageType(bytes) === undefined ? undefined : bytes;
    } catch {
      return undefined; // not readable: its path is what was pasted
    }
  }
}
