// The protocol over a program's stdin and stdout, one message per line. The program is a two-way process of the
// session's environment: owned, confined and possibly remote like everything else that runs there.

import { setImmediate, setTimeout } from "node:timers/promises";
import { byteLines, type TwoWayProcess } from "@lathe/agent/world";
import { isJsonObject, parseJson } from "@lathe/llm";
import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/client";
import { lastErrorLine } from "../../platform/usage/last-error-line.ts";
import { MOST_MESSAGE_BYTES, MOST_STRAY_LINES } from "./limits.ts";

/** Messages before we yield: a server that floods us must not block the session. */
const BATCH = 64;
/** Servers that exit when their input ends need no signal. */
const GRACE_MS = 300;

export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #start: () => Promise<TwoWayProcess>;
  #process: TwoWayProcess | undefined;
  #isClosed = false;
  #end: string | undefined = "";

  constructor(start: () => Promise<TwoWayProcess>) {
    this.#start = start;
  }

  /** How the program ended and its last words; "" while it runs, undefined if its environment ended it. */
  get end(): string | undefined {
    return this.#end;
  }

  async start(): Promise<void> {
    this.#process = await this.#start();
    void this.#read(this.#process);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#process || this.#isClosed) throw new Error("the server is not running");
    const process = this.#process;
    try {
      await process.write(`${JSON.stringify(message)}\n`);
    } catch (error) {
      // If the server is exiting, the reason for that says more than the failed write.
      const ended = await Promise.race([process.exited, setTimeout(GRACE_MS, undefined, { ref: false })]);
      throw !ended || ended.stopped ? error : new Error(endedWith(ended, process));
    }
  }

  async close(): Promise<void> {
    const isFirst = !this.#isClosed;
    this.#isClosed = true;
    await this.#process?.stop(GRACE_MS);
    if (isFirst) this.onclose?.();
  }

  async #read(process: TwoWayProcess): Promise<void> {
    let lines = 0;
    let stray = 0;
    try {
      for await (const line of byteLines(process.stdout, MOST_MESSAGE_BYTES)) {
        if (this.#isClosed) return;
        const message = messageIn(line);
        if (message) this.onmessage?.(message);
        else if (line.trim() !== "" && ++stray > MOST_STRAY_LINES) throw new Error(NO_PROTOCOL);
        if (++lines % BATCH === 0) await setImmediate();
      }
    } catch (error) {
      this.#end = (error as Error).message;
      this.onerror?.(error as Error);
    }
    await this.#finish(process);
  }

  /** Called when the output has ended or cannot be read, so that no message can follow. */
  async #finish(process: TwoWayProcess): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const ended = await Promise.race([process.exited, setTimeout(GRACE_MS, undefined, { ref: false })]);
    if (ended?.stopped) this.#end = undefined;
    const exit = ended ?? (await process.stop(0));
    if (this.#end === "") this.#end = endedWith(exit, process);
    this.onclose?.();
  }
}

const NO_PROTOCOL = "it writes something other than MCP messages to stdout";

function messageIn(line: string): JSONRPCMessage | undefined {
  const message = parseJson(line);
  return isJsonObject(message) ? (message as object as JSONRPCMessage) : undefined;
}

const endedWith = ({ exitCode, signal }: Awaited<TwoWayProcess["exited"]>, process: TwoWayProcess): string =>
  `it ended with ${signal ?? `code ${exitCode}`}${lastWords(process)}`;

/** The end of its stderr, where programs explain why they exit. */
function lastWords(process: TwoWayProcess): string {
  const said = lastErrorLine(process.readStderr().text);
  return said === "" ? "" : `: ${said}`;
}
