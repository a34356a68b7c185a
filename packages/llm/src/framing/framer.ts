// Splits bytes into frames. A framer gets whatever the socket delivers, split anywhere, and returns whole frames.

import { createParser } from "eventsource-parser";
import { StreamError } from "../types/errors.ts";
import type { Frame, Framer, FramingKind } from "../types/protocol.ts";
import { awsFramer } from "./aws.ts";
import { Utf8Pieces } from "./utf8-pieces.ts";

/** An event larger than this comes from a runaway server. */
const MAX_EVENT = 64 * 1024 * 1024;

/** A framer for one answer. It passes on frames as they become complete. */
export function createFramer(kind: FramingKind, onFrame: (frame: Frame) => void): Framer {
  switch (kind) {
    case "sse":
      return sseFramer(onFrame);
    case "ndjson":
      return lineFramer(onFrame);
    case "aws-event-stream":
      return awsFramer(onFrame, MAX_EVENT);
  }
}

function sseFramer(onFrame: (frame: Frame) => void): Framer {
  const decoder = new Utf8Pieces();
  const parser = createParser({
    onEvent: onFrame as (event: { event?: string | undefined; data: string }) => void,
    onError: (error) => {
      if (error.type === "max-buffer-size-exceeded") throw tooLarge();
    },
    maxBufferSize: MAX_EVENT,
  });
  return {
    push: (bytes) => parser.feed(decoder.next(bytes)),
    end: () => parser.feed(`${decoder.rest()}\n\n`),
  };
}

function lineFramer(onFrame: (frame: Frame) => void): Framer {
  const decoder = new Utf8Pieces();
  let open = "";
  const take = (line: string) => {
    const data = line.trim();
    if (data !== "") onFrame({ data });
  };
  return {
    push(bytes) {
      const lines = decoder.next(bytes).split("\n");
      lines[0] = open + lines[0];
      open = lines.pop() ?? "";
      if (open.length > MAX_EVENT) throw tooLarge();
      for (const line of lines) take(line);
    },
    end() {
      take(open + decoder.rest());
      open = "";
    },
  };
}

function tooLarge(): StreamError {
  return new StreamError(`One event of the stream is larger than ${MAX_EVENT} characters.`);
}
