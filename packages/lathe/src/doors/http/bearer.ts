// Checks for servers with a single token that grants everything. Guessing is cut off after a few attempts.

import type { IncomingMessage } from "node:http";
import type { Attempts } from "./attempts.ts";
import { Refused } from "./refused.ts";

export const addressOf = ({ socket }: IncomingMessage): string => socket.remoteAddress ?? "";

export const bearerIn = (authorization: string | undefined): string | undefined =>
  /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];

export interface BearerOptions {
  readonly attempts: Attempts;
  /** Must compare in constant time. */
  readonly isToken: (given: string) => boolean;
  /** The error message for a client without the token. */
  readonly advice: string;
}

/** Throws if the request does not carry the token. */
export function checkBearer(incoming: IncomingMessage, { attempts, isToken, advice }: BearerOptions): void {
  const address = addressOf(incoming);
  const seconds = attempts.waitFor(address);
  if (seconds > 0)
    throw new Refused(429, "too_many_attempts", `Too many attempts. Try again in ${seconds} s.`, seconds);
  const given = bearerIn(incoming.headers.authorization);
  if (given !== undefined && isToken(given)) return;
  if (given !== undefined) attempts.noteFailure(address);
  throw new Refused(401, "unauthorized", advice);
}
