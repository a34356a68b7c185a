// Pictures in the composer: each is a mark in the text, and is sent as long as its mark is there.

import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { InputPart } from "@lathe/agent";
import { imageType, MOST_IMAGE_BYTES } from "@lathe/agent/files";
import type { Editor, Mark } from "@lathe/tui";
import type { Machine } from "../../../platform/machine/machine.ts";
import { droppedPaths } from "./dropped-files.ts";

export interface PictureParts {
  readonly machine: Machine;
  readonly editor: Editor;
  /** Says why nothing was pasted. */
  hint(text: string): void;
  onChange(): void;
}

export class Pictures {
  readonly #parts: PictureParts;
  readonly #content = new Map<number, InputPart>();
  #count = 0;

  constructor(parts: PictureParts) {
    this.#parts = parts;
  }

  /** Called for Ctrl+V. */
  async pasteFromClipboard(): Promise<void> {
    const { clipboardPicture } = await import("./clipboard.ts");
    const found = await clipboardPicture(this.#parts.machine);
    if (found.kind === "picture") this.#add(found.bytes);
    else this.#parts.hint(found.kind === "none" ? "There is no picture on the clipboard." : found.message);
  }

  /** Takes a paste of nothing but paths of pictures; false for other text. */
  takePasted(text: string): boolean {
    const files = droppedPaths(text)?.map((path) => this.#pictureIn(path));
    if (files === undefined || files.length === 0 || files.some((bytes) => bytes === undefined)) return false;
    for (const bytes of files) if (bytes) this.#add(bytes);
    return true;
  }

  /** The pictures behind the marks of a text. */
  partsOf(marks: readonly Mark[]): InputPart[] {
    return marks.flatMap(({ id, kind }) => (kind === "attachment" ? (this.#content.get(id) ?? []) : []));
  }

  #add(bytes: Uint8Array): void {
    const mediaType = imageType(bytes);
    if (mediaType === undefined) return;
    const { editor } = this.#parts;
    // Numbers start again with each message.
    if (!editor.marks().some(({ kind }) => kind === "attachment")) {
      this.#count = 0;
      this.#content.clear();
    }
    const mark = editor.addAttachmentMark(`[picture #${++this.#count}]`);
    this.#content.set(mark.id, { kind: "image", image: { data: bytes, mediaType } });
    this.#parts.onChange();
  }

  #pictureIn(path: string): Uint8Array | undefined {
    const { userHome, cwd } = this.#parts.machine;
    const file = path.startsWith("~/") ? join(userHome, path.slice(2)) : resolve(cwd, path);
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found?.isFile() || found.size > MOST_IMAGE_BYTES) return undefined;
    try {
      const bytes = readFileSync(file);
      return imageType(bytes) === undefined ? undefined : bytes;
    } catch {
      return undefined; // not readable, so the path is pasted as text
    }
  }
}
