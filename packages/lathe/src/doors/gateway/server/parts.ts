// What a running gateway is made of.

import type { RequestWindow } from "../fair/request-window.ts";
import type { Turnstile } from "../fair/turnstile.ts";
import type { GatewayModels } from "../models/gateway-models.ts";
import type { Books } from "../money/books.ts";
import type { Callers } from "./callers.ts";
import type { LoggedRequest } from "./request-log.ts";

export interface GatewayParts {
  readonly callers: Callers;
  readonly models: GatewayModels;
  readonly books: Books;
  readonly turnstile: Turnstile;
  readonly rates: RequestWindow;
  readonly log: (request: LoggedRequest) => void;
  /** For the operator. */
  readonly warn: (message: string) => void;
  readonly now: () => number;
  /** Letters and digits. */
  readonly newId: () => string;
  readonly setTimer: (callback: () => void, ms: number) => { cancel(): void };
}
