// The parts of a running gateway.

import type { ListedStoredAccount } from "../../../models/account-list.ts";
import type { RequestWindow } from "../fair/request-window.ts";
import type { Turnstile } from "../fair/turnstile.ts";
import type { KeyFile } from "../keys/key-file.ts";
import type { CheckedCredential } from "../models/check-credentials.ts";
import type { GatewayModels } from "../models/gateway-models.ts";
import type { Books } from "../money/books.ts";
import type { BodyRoom } from "./body-room.ts";
import type { Callers } from "./callers.ts";
import type { LoggedRequest } from "./request-log.ts";

export interface GatewayParts {
  readonly callers: Callers;
  readonly keys: KeyFile;
  readonly models: GatewayModels;
  readonly books: Books;
  readonly turnstile: Turnstile;
  readonly rates: RequestWindow;
  readonly room: BodyRoom;
  /** Checks the gateway's own credentials; `isStrict` sends a request with each. */
  readonly checkCredentials: (isStrict: boolean) => Promise<readonly CheckedCredential[]>;
  /** The stored accounts and what is left of each. */
  readonly standings: () => Promise<readonly ListedStoredAccount[]>;
  readonly log: (request: LoggedRequest) => void;
  /** Shows a message to the operator. */
  readonly warn: (message: string) => void;
  readonly now: () => number;
  /** Returns an id of letters and digits. */
  readonly newId: () => string;
  readonly setTimer: (callback: () => void, ms: number) => { cancel(): void };
}
