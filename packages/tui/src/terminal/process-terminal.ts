// The terminal of this process: sets the modes we need, decodes its input, and restores it.

import { appendFileSync, writeSync } from "node:fs";
import { KeyDecoder } from "../keys/decoder.ts";
import type { Key, TerminalReply } from "../keys/key.ts";
import type { PictureTerminal } from "../picture/draw.ts";
import { pictureProtocol } from "../picture/protocol.ts";
import type { CellSize } from "../picture/size.ts";
import { afterReading } from "./after-reading.ts";
import { takeLastAnswer } from "./last-answer.ts";
import { makesLinks } from "./links.ts";
import { type Reflow, reflowOf } from "./reflow.ts";
import {
  CELL_QUESTION,
  copySequence,
  enterModes,
  leaveModes,
  notificationSequence,
  pushTitle,
  questions,
  REPORT_OTHER_KEYS,
  type TerminalEnv,
  titleSequence,
  wantsKeyboardProtocol,
} from "./sequences.ts";
import type { TerminalOutput } from "./terminal.ts";
import { isToldLate, SIZE_ANSWER, SIZE_QUESTION, WindowSizeQuestion } from "./window-size.ts";

export type InputStream = NodeJS.ReadableStream & { setRawMode?(isRaw: boolean): unknown };
export type OutputStream = NodeJS.WritableStream & {
  readonly columns?: number;
  readonly rows?: number;
  readonly fd?: number;
  readonly writableNeedDrain?: boolean;
  /** A method of node's terminal streams: reads the size and emits a change. */
  _refreshSize?(): void;
};

export interface TerminalListeners {
  onKey(key: Key): void;
  onReply?(reply: TerminalReply): void;
  onResize?(): void;
}

const DEFAULT_COLUMNS = 80;
const SYNC_MODE = 2026;
const DEFAULT_ROWS = 24;
/** A terminal that has not answered within this time will not, or is too slow to wait for. */
const ANSWER_MS = 1_000;
/** A terminal that accepts no bytes in this many attempts is gone. */
const SYNC_ATTEMPTS = 200;

export class ProcessTerminal implements TerminalOutput {
  readonly #input: InputStream;
  readonly #output: OutputStream;
  readonly #env: TerminalEnv;
  #listeners: TerminalListeners | undefined;
  #decoder = new KeyDecoder();
  #cancelFlush = (): void => {};
  #isActive = false;
  #isAwaited = false;
  #askedAt = 0;
  #onAnswered: () => void = () => {};
  #isFirstRead = true;
  #isAlternate = false;
  #isTitled = false;
  #reportsOtherKeys = false;
  #hasKeyboardProtocol = false;
  #name = "";
  #knowsSync: boolean | undefined;
  #cell: CellSize | undefined;
  readonly #size: WindowSizeQuestion;
  /** Answers about its support for pictures. */
  readonly #pictureReplies: TerminalReply[] = [];

  constructor(options: { readonly input: InputStream; readonly output: OutputStream; readonly env: TerminalEnv }) {
    this.#input = options.input;
    this.#output = options.output;
    this.#env = options.env;
    const system = () => ({
      columns: this.#output.columns || DEFAULT_COLUMNS,
      rows: this.#output.rows || DEFAULT_ROWS,
    });
    this.#size = new WindowSizeQuestion(() => this.write(SIZE_QUESTION), system);
  }

  get columns(): number {
    return this.#size.size.columns;
  }

  get rows(): number {
    return this.#size.size.rows;
  }

  confirmSize(call: () => void): void {
    this.#output._refreshSize?.();
    if (this.#isActive && isToldLate(this.#env)) this.#size.confirm(call);
    else call();
  }

  get isBlocked(): boolean {
    return this.#output.writableNeedDrain === true;
  }

  /** How this terminal reflows rows when its width changes; more exact once it has reported its name. */
  get reflow(): Reflow {
    return reflowOf(this.#env, this.#name);
  }

  /** Whether it supports links; more exact once it has reported its name. */
  get links(): boolean {
    return makesLinks(this.#env, this.#name);
  }

  /** Whether it shows frames between synchronized-output marks as a whole; undefined until it has answered. */
  get knowsSync(): boolean | undefined {
    return this.#knowsSync;
  }

  /** How it draws pictures; more exact once it has answered. */
  get pictures(): PictureTerminal {
    return { protocol: pictureProtocol(this.#env, this.#pictureReplies), cell: this.#cell };
  }

  onceUnblocked(call: () => void): void {
    this.#output.once("drain", call);
  }

  write(bytes: string): void {
    const entered = bytes.lastIndexOf("\x1b[?1049h");
    const left = bytes.lastIndexOf("\x1b[?1049l");
    if (entered !== left) this.#isAlternate = entered > left;
    this.#log(bytes);
    this.#output.write(bytes);
  }

  start(listeners: TerminalListeners): void {
    this.#listeners = listeners;
    this.#input.setEncoding("utf8");
    this.#enter();
    const asked = questions(this.#env);
    this.#isAwaited = asked !== "";
    this.#askedAt = performance.now();
    this.write(asked);
  }

  /** Resolves when the terminal has answered the queries of the start, or will not. */
  async waitForAnswers(): Promise<void> {
    const patience = ANSWER_MS - (performance.now() - this.#askedAt);
    if (!this.#isAwaited || patience <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, patience);
      this.#onAnswered = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Restores everything. May be called twice, and from an exit handler: the bytes are written when it returns. */
  stop(): void {
    if (!this.#isActive) return;
    this.#isActive = false;
    this.#cancelFlush();
    if (this.#size.isAsked) takeLastAnswer(SIZE_ANSWER, () => performance.now());
    this.#size.stop();
    this.#input.off("data", this.#onData);
    this.#output.off("resize", this.#onResize);
    this.#writeNow(
      leaveModes(this.#env, {
        alternate: this.#isAlternate,
        titled: this.#isTitled,
        otherKeys: this.#reportsOtherKeys,
      }),
    );
    this.#isAlternate = false;
    this.#isTitled = false;
    this.#input.setRawMode?.(false);
    this.#input.pause();
  }

  /** Gives the terminal to another program: a shell, an editor. */
  suspend(): void {
    this.stop();
  }

  /** Takes the terminal back and sets the modes again, since the other program may have changed them. */
  resume(): void {
    if (this.#listeners === undefined) return;
    this.stop();
    this.#decoder = new KeyDecoder();
    this.#enter();
    if (this.#reportsOtherKeys) this.write(REPORT_OTHER_KEYS);
  }

  setTitle(text: string): void {
    this.write(`${this.#isTitled ? "" : pushTitle}${titleSequence(text)}`);
    this.#isTitled = true;
  }

  notify(text: string): void {
    this.write(notificationSequence(text, this.#env));
  }

  bell(): void {
    this.write("\x07");
  }

  copy(text: string): void {
    this.write(copySequence(text, this.#env));
  }

  #enter(): void {
    this.#isActive = true;
    this.#input.setRawMode?.(true);
    this.#input.on("data", this.#onData);
    this.#output.on("resize", this.#onResize);
    this.#input.resume();
    this.write(enterModes(this.#env));
  }

  readonly #onResize = (): void => {
    // A new size may come from a new font.
    if (this.#cell !== undefined) this.write(CELL_QUESTION);
    this.#listeners?.onResize?.();
  };

  readonly #onData = (text: string | Buffer): void => {
    this.#cancelFlush();
    // Keys typed before we set the modes contain line feeds instead of Enter.
    const typed = this.#isFirstRead ? text.toString().replaceAll("\n", "\r") : text.toString();
    this.#isFirstRead = false;
    this.#deliver(this.#decoder.feed(typed));
    if (this.#isActive && this.#decoder.isPending) {
      this.#cancelFlush = afterReading(this.#decoder.patienceMs, () => this.#deliver(this.#decoder.flush()));
    }
  };

  #deliver(items: readonly (Key | TerminalReply)[]): void {
    for (const item of items) {
      // A key may stop the terminal; keys typed after it are still delivered, since they were meant for us.
      if (item.kind === "key" || item.kind === "paste" || item.kind === "focus") this.#listeners?.onKey(item);
      else {
        this.#learn(item);
        this.#listeners?.onReply?.(item);
      }
    }
  }

  #learn(reply: TerminalReply): void {
    if (reply.kind === "name") this.#name = reply.text;
    // 0 means that it does not know the mode, 4 that it will never turn it on.
    if (reply.kind === "mode" && reply.mode === SYNC_MODE) this.#knowsSync = reply.state !== 0 && reply.state !== 4;
    if (reply.kind === "size") this.#size.handleAnswer(reply.values);
    if (reply.kind === "cell") this.#cell = { width: reply.width, height: reply.height };
    if (reply.kind === "attributes" || reply.kind === "graphics") this.#pictureReplies.push(reply);
    if (reply.kind === "keyboard") this.#hasKeyboardProtocol = true;
    // This is the last answer.
    if (reply.kind === "attributes") {
      this.#isAwaited = false;
      this.#onAnswered();
    }
    if (reply.kind !== "attributes" || this.#hasKeyboardProtocol || this.#reportsOtherKeys || !this.#isActive) return;
    if (!wantsKeyboardProtocol(this.#env)) return;
    this.#reportsOtherKeys = true;
    this.write(REPORT_OTHER_KEYS);
  }

  /** Logs all bytes in the order they were sent, to debug a wrong screen. */
  #log(bytes: string): void {
    const file = this.#env.LATHE_TUI_WRITE_LOG;
    if (!file) return;
    try {
      appendFileSync(file, bytes, { mode: 0o600 });
    } catch (error) {
      throw new Error(`LATHE_TUI_WRITE_LOG: ${file} cannot be written (${(error as NodeJS.ErrnoException).code})`);
    }
  }

  /**
   * Writes directly, since the stream may never get to write again. What the stream still holds comes later or is lost:
   * restoring the modes is more important.
   */
  #writeNow(bytes: string): void {
    this.#log(bytes);
    const { fd } = this.#output;
    if (fd === undefined) {
      this.#output.write(bytes);
      return;
    }
    let rest = Buffer.from(bytes);
    for (let attempt = 0; rest.length > 0 && attempt < SYNC_ATTEMPTS; attempt++) {
      try {
        rest = rest.subarray(writeSync(fd, rest));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EAGAIN") continue;
        return; // the terminal is gone, so there is nothing to restore
      }
    }
  }
}
