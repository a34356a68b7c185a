// The stream of a session as server-sent events. Each frame is encoded once, however many clients read it.

import type { ServerResponse } from "node:http";
import type { DoorClient, DoorFrame } from "../../door/door.ts";
import { type SetTimer, sendKeepAlive, whenDrained } from "../../http/live-response.ts";
import { RESPONSE_HEADERS } from "../../http/response-headers.ts";
import type { LiveSession } from "../sessions/served-sessions.ts";

export interface StreamOptions {
  readonly live: LiveSession;
  readonly client: DoorClient;
  readonly after: number | undefined;
  /** Checked regularly: the token may have expired or been revoked, or the door may show another session. */
  readonly mayRead: () => boolean;
  readonly setTimer: SetTimer;
}

export class EventStreams {
  /** The encoded text of each frame, as long as its door keeps the frame. Empty for a frame that is not sent. */
  readonly #encoded = new WeakMap<DoorFrame, string>();
  readonly #shown: (frame: DoorFrame) => object | undefined;

  /** `shown` returns what readers get of a frame; undefined for nothing. */
  constructor(shown: (frame: DoorFrame) => object | undefined = (frame) => frame) {
    this.#shown = shown;
  }

  /**
   * Runs until it ends by itself. If the session cannot be followed, the connection breaks and the client reconnects.
   */
  begin(response: ServerResponse, options: StreamOptions): void {
    response.writeHead(200, { ...RESPONSE_HEADERS, "content-type": "text/event-stream", "x-accel-buffering": "no" });
    response.flushHeaders();
    void this.#send(response, options).catch((error: Error) => response.destroy(error));
  }

  /** Resolves when the reader has gone or the session is closed. */
  async #send(response: ServerResponse, options: StreamOptions): Promise<void> {
    const { live, client, after, mayRead, setTimer } = options;
    const frames = live.door.follow(client, after)[Symbol.asyncIterator]();
    const leave = (): void => void frames.return?.();
    response.once("close", leave);
    const alive = sendKeepAlive(response, { mayRead, setTimer, leave });
    try {
      for (let next = await frames.next(); next.done !== true; next = await frames.next()) {
        const { value: frame } = next;
        // A session that crashed or was closed by another process opens again when the client reconnects. Only a
        // session closed here ends for the client.
        if (frame.kind === "closed" && (frame.problem !== undefined || live.isElsewhere)) break;
        if (frame.kind === "session" && !mayRead()) break;
        const text = this.#encode(frame);
        if (text !== "" && !response.write(text)) await whenDrained(response, setTimer);
      }
    } finally {
      alive.cancel();
      leave();
      response.end();
    }
  }

  #encode(frame: DoorFrame): string {
    let text = this.#encoded.get(frame);
    if (text === undefined) {
      const shown = this.#shown(frame);
      text = shown === undefined ? "" : `id: ${frame.seq}\ndata: ${JSON.stringify(shown)}\n\n`;
      this.#encoded.set(frame, text);
    }
    return text;
  }
}
