// Asks the terminal behind every frame how wide the window was when it was drawn. Between the answer that a frame was made for and the
// frame itself the window can change, on a busy machine for long enough: what such a frame leaves behind is no fault of the screen.

import { EventEmitter } from "node:events";
import type { InputStream } from "../src/terminal/process-terminal.ts";
import type { TerminalOutput } from "../src/terminal/terminal.ts";

/** To the edge of the window and back: the answer is its size, and no other answer looks like it. */
const ASK_EDGE = "\x1b7\x1b[999;999H\x1b[6n\x1b8";
const EDGE = /\x1b\[\d+;(\d+)R/g;
const PART_OF_ANSWER = /\x1b(\[[\d;]*)?$/;

export class FrameWidths {
  readonly #stdin: NodeJS.ReadStream;
  readonly #relay = new EventEmitter();
  readonly #made: number[] = [];
  #held = "";
  /** Frames that were made for a width that the window no longer had. */
  misdrawn = 0;

  constructor(stdin: NodeJS.ReadStream) {
    this.#stdin = stdin;
  }

  /** What was typed, and the answers to other questions. */
  get input(): InputStream {
    const stdin = this.#stdin;
    return Object.assign(this.#relay, {
      setEncoding: (encoding: BufferEncoding) =>
        stdin.setEncoding(encoding).on("data", (text: unknown) => this.#take(String(text))),
      setRawMode: (isRaw: boolean) => stdin.setRawMode(isRaw),
      resume: () => stdin.resume(),
      pause: () => stdin.pause(),
    }) as EventEmitter as InputStream;
  }

  watch(terminal: Required<TerminalOutput>): TerminalOutput {
    return {
      get columns() {
        return terminal.columns;
      },
      get rows() {
        return terminal.rows;
      },
      get isBlocked() {
        return terminal.isBlocked;
      },
      write: (bytes) => {
        this.#made.push(terminal.columns);
        terminal.write(bytes + ASK_EDGE);
      },
      confirmSize: (call) => terminal.confirmSize(call),
      onceUnblocked: (call) => terminal.onceUnblocked(call),
    };
  }

  #take(text: string): void {
    const all = this.#held + text;
    const rest = all.replace(EDGE, (_, columns: string) => {
      if (this.#made.shift() !== Number(columns)) this.misdrawn++;
      return "";
    });
    this.#held = this.#made.length > 0 ? (PART_OF_ANSWER.exec(rest)?.[0] ?? "") : "";
    const passed = rest.slice(0, rest.length - this.#held.length);
    if (passed !== "") this.#relay.emit("data", passed);
  }
}
