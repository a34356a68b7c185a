// The streams of a broker: to each reader the present state, then each change. A reader that is too slow, or whose token was replaced,
// is sent away.

import type { ServerResponse } from "node:http";
import type { StreamEvent } from "../../../config/credentials/broker/wire.ts";
import { drained, type SetTimer, signOfLife } from "../../http/live-response.ts";
import { RESPONSE_HEADERS } from "../../http/response-headers.ts";
import type { Feed } from "./feed.ts";

/** Who is further behind comes back for the present state. */
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

  /** Those whose token is no longer the broker's go. */
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
    // Both in one moment: no change can be missed between them.
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
    const alive = signOfLife(response, { mayRead, setTimer: this.#setTimer, leave });
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
        if (!response.write(textOf(event))) await drained(response, this.#setTimer);
      }
    } finally {
      alive.cancel();
      unsubscribe();
      this.#readers.delete(reader);
      response.end();
    }
  }
}

/** JSON has no line breaks: names and tokens cannot begin a line of their own. */
const textOf = (event: StreamEvent): string => `event: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;
