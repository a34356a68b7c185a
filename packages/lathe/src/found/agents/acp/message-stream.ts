// The messages of an ACP agent over its stdin and stdout, one per line, in the form the protocol's package takes.
// Notifications bypass the package, which would deliver an answer before the updates that preceded it, and would print
// invalid ones to our stderr.

import type { AnyMessage, Stream } from "@agentclientprotocol/sdk/unstable";
import { byteLines, type TwoWayProcess } from "@lathe/agent/world";
import { isJsonObject, type JsonObject, parseJson } from "@lathe/llm";

const MOST_MESSAGE_BYTES = 32 << 20;
/** Lines that are not messages are tolerated up to this number: some programs print a greeting. */
const MOST_STRAY_LINES = 1_000;

export interface MessageStream {
  readonly stream: Stream;
  /** The first line that was not a message. */
  readonly stray: string | undefined;
}

export function messageStream(process: TwoWayProcess, onNotification: (message: JsonObject) => void): MessageStream {
  /** Our requests that have no answer yet. */
  const asked = new Set<unknown>();
  let stray: string | undefined;
  async function* messages(): AsyncGenerator<AnyMessage> {
    let count = 0;
    for await (const line of byteLines(process.stdout, MOST_MESSAGE_BYTES)) {
      const message = parseJson(line);
      if (isNotification(message)) onNotification(message);
      else if (isMessage(message, asked)) yield message;
      else if (line.trim() !== "" && !isJsonObject(message)) {
        stray ??= line.trim().slice(0, 120);
        if (++count > MOST_STRAY_LINES) throw new Error("it writes something other than ACP messages to stdout");
      }
    }
  }
  const lines = messages();
  return {
    get stray() {
      return stray;
    },
    stream: {
      readable: new ReadableStream<AnyMessage>({
        async pull(controller) {
          const { value, done } = await lines.next();
          if (done) controller.close();
          else controller.enqueue(value);
        },
      }),
      writable: new WritableStream<AnyMessage>({
        async write(message) {
          if ("method" in message && "id" in message) asked.add(message.id);
          await process.write(`${JSON.stringify(message)}\n`);
        },
      }),
    },
  };
}

const isNotification = (value: unknown): value is JsonObject =>
  isJsonObject(value) && typeof value["method"] === "string" && !("id" in value);

/** A response is only valid if we sent a request with its id. */
function isMessage(value: unknown, asked: Set<unknown>): value is AnyMessage {
  if (!isJsonObject(value)) return false;
  if ("method" in value) return typeof value["method"] === "string";
  return ("result" in value || "error" in value) && asked.delete(value["id"]);
}
