// The streams of a broker: each reader gets the current state, then every change. A reader that is too slow, or whose
// token was replaced, is disconnected.

import type { ServerResponse } from "node:http";
import type { StreamEvent } from "../../../config/credentials/broker/wire.ts";
import { type SetTimer, sendKeepAlive, whenDrained } from "../../http/live-response.ts";
import { RESPONSE_HEADERS } from "../../http/response-headers.ts";
import type { Feed } from "./feed.ts";

/** Events that may wait for one reader. A slower one must reconnect and get the current state. */
const MOST_WAITING = 1_000;

interface Reader {
  readonly mayRead: () => boolean;
  readonly leave: () => void;
}

export class Streams {
  readonly #feed: Feed;
  readonly #setTimer: SetTimer;
  readonly #readers = new Set<Reader>();

  constructor(feed: Feed, setTimer: SetTimer) {
    this.#feed = feed;
    this.#setTimer = setTimer;
  }

  /** Disconnects readers whose token is no longer valid. */
  check(): void {
    for (const { mayRead, leave } of [...this.#readers]) if (!mayRead()) leave();
  }

  /** Resolves when the reader has gone. */
  async send(response: ServerResponse, mayRead: () => boolean): Promise<void> {
    const waiting: StreamEvent[] = [];
    let isOver = false;
    let wake = (): void => {};
    const leave = (): void => {
      isOver = true;
      wake();
    };
    // Subscribe and take the snapshot without an await between, so that no change is missed.
    const unsubscribe = this.#feed.subscribe((event) => {
      waiting.push(event);
      if (waiting.length > MOST_WAITING) leave();
      else wake();
    });
    waiting.push({ kind: "snapshot", snapshot: this.#feed.snapshot() });
    const reader: Reader = { mayRead, leave };
    this.#readers.add(reader);
    response.once("close", leave);
    const headers = { ...RESPONSE_HEADERS, "content-type": "text/event-stream", "x-accel-buffering": "no" };
    response.writeHead(200, headers);
    const alive = sendKeepAlive(response, { mayRead, setTimer: this.#setTimer, leave });
    try {
      while (!isOver) {
        const event = waiting.shift();
        if (event === undefined) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
          continue;
        }
        if (!mayRead()) break;
        if (!response.write(textOf(event))) await whenDrained(response, this.#setTimer);
      }
    } finally {
      alive.cancel();
      unsubscribe();
      this.#readers.delete(reader);
      response.end();
    }
  }
}

/** JSON escapes line breaks, so names and tokens cannot start a line of their own. */
const textOf = (event: StreamEvent): string => `event: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;
