// Answers input that is not a valid request: headers that are too long or never end, a body that arrives too slowly, no
// HTTP at all. The sender is told why, and the connection is closed.

import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { Refused } from "./refused.ts";

/** Builds the body of the answer to such input. */
export type Garbage = (refusal: { readonly status: number; readonly code: string; readonly message: string }) => object;

/** For servers without their own form of errors. */
export const flatGarbage: Garbage = ({ code, message }) => ({ code, message });

interface UnderWay {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** Answers what node cannot parse; `say` is called once for each. */
export function refuseGarbage(server: Server, bodyOf: Garbage): void {
  const underWay = new WeakMap<object, UnderWay>();
  server.on("request", (incoming, outgoing) => {
    const { socket } = incoming;
    underWay.set(socket, { incoming, outgoing });
    outgoing.once("close", () => {
      if (underWay.get(socket)?.outgoing === outgoing) underWay.delete(socket);
    });
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    const refused = refusalOf(error);
    const begun = underWay.get(socket);
    if (begun === undefined) answer(socket as Socket, refused, bodyOf);
    else if (isAwaited(begun)) begun.incoming.emit("error", refused);
    else socket.destroy();
  });
}

/**
 * Its handler waits for the rest of the body and answers with the error itself. Once a response has begun, no error can
 * be sent.
 */
const isAwaited = ({ incoming, outgoing }: UnderWay): boolean =>
  !incoming.complete && !outgoing.headersSent && incoming.listenerCount("error") > 0;

function refusalOf({ code }: NodeJS.ErrnoException): Refused {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return new Refused(431, "headers_too_large", "The headers are too large. Send shorter ones.");
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new Refused(408, "too_slow", "The request took too long to arrive. Send it again.");
    default:
      return new Refused(400, "bad_request", "This is not a valid HTTP request.");
  }
}

function answer(socket: Socket, { status, code, message }: Refused, say: Garbage): void {
  const body = JSON.stringify(say({ status, code, message }));
  const headers = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close`;
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers}\r\n\r\n${body}`, () => socket.destroy());
}
