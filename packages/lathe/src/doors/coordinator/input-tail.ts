// The progress of a session's inputs, read from its journal line by line. What was read is not read again, so each look
// only costs the new lines, however long the journal is.

import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import type { InputLine } from "@lathe/agent/contract";
import { isJsonObject, type JsonValue, parseJson } from "@lathe/llm";

const READ_BYTES = 1 << 20;
const LINE_END = 10;
const MESSAGE = /^\{"type":"message","id":"([^"]+)"/;
const SAID = /^\{"type":"message",.{0,300}?"message":\{"role":"assistant"/;
/** Prefix of a text that is stored outside the journal. */
const ELSEWHERE = "blob:";
const OF_INTEREST = /^\{"type":"(?:input|settle)",/;

export class InputTail {
  readonly #path: string;
  #inode = -1n;
  /** Bytes read so far; always ends at a line break. */
  #read = 0;
  #messages = new Set<string>();
  #inputs = new Map<string, InputLine>();
  /** The line of the last input. */
  last: InputLine | undefined;
  /** The error of the last request, if it failed. */
  lastFailure: string | undefined;

  /** The model's last text in the current input; undefined if it is stored outside the journal. */
  #words: string | undefined = "";

  constructor(path: string) {
    this.#path = path;
  }

  /** Whether the journal has this message. */
  has(entryId: string): boolean {
    return this.#messages.has(entryId);
  }

  /** The last line about this input. */
  inputOf(entryId: string): InputLine | undefined {
    return this.#inputs.get(entryId);
  }

  /** The model's last text of an input that has ended. Undefined if it takes the whole journal to find it. */
  wordsOf(entryId: string): string | undefined {
    return this.last?.entryId === entryId && this.last.state === "end" ? this.#words : undefined;
  }

  /** Reads the new lines. */
  refresh(): this {
    const fd = openSync(this.#path, "r");
    try {
      this.#readNew(fd);
    } finally {
      closeSync(fd);
    }
    return this;
  }

  #readNew(fd: number): void {
    const { ino, size } = fstatSync(fd, { bigint: true });
    if (ino !== this.#inode || Number(size) < this.#read) this.#forget(ino);
    let rest = Buffer.alloc(0);
    for (let at = this.#read; at < Number(size); ) {
      const bytes = Buffer.alloc(Math.min(READ_BYTES, Number(size) - at));
      const got = readSync(fd, bytes, 0, bytes.length, at);
      if (got === 0) break;
      at += got;
      const all = Buffer.concat([rest, bytes.subarray(0, got)]);
      const end = all.lastIndexOf(LINE_END) + 1;
      for (const line of all.toString("utf8", 0, end).split("\n")) this.#take(line);
      rest = all.subarray(end);
      this.#read = at - rest.length;
    }
  }

  /** The file was replaced or became shorter. */
  #forget(inode: bigint): void {
    this.#inode = inode;
    this.#read = 0;
    this.#messages = new Set();
    this.#inputs = new Map();
    this.last = undefined;
    this.lastFailure = undefined;
    this.#words = "";
  }

  #take(text: string): void {
    const [, id] = MESSAGE.exec(text) ?? [];
    if (id !== undefined) this.#messages.add(id);
    const isSaid = SAID.test(text);
    if (!isSaid && !OF_INTEREST.test(text)) return;
    const line = parseJson(text);
    if (!isJsonObject(line)) return;
    if (isSaid) this.#takeAnswer(line["message"]);
    else if (line["type"] === "settle") {
      const { outcome, error } = line;
      this.lastFailure = outcome === "failed" && typeof error === "string" ? error : undefined;
    } else this.#begin(line as object as InputLine);
  }

  #begin(line: InputLine): void {
    if (line.entryId !== this.last?.entryId) this.#words = "";
    this.last = line;
    this.#inputs.set(line.entryId, line);
  }

  #takeAnswer(message: JsonValue | undefined): void {
    const parts = isJsonObject(message) && Array.isArray(message["content"]) ? message["content"] : [];
    const texts = parts.flatMap((part) =>
      isJsonObject(part) && part["kind"] === "text" && typeof part["text"] === "string" ? [part["text"]] : [],
    );
    if (texts.some((text) => text.startsWith(ELSEWHERE))) this.#words = undefined;
    else if (texts.join("").trim() !== "") this.#words = texts.join("\n");
  }
}
