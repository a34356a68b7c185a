// What a running gateway is made of.

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
  /** The state of the gateway's own credentials; `strict` tries each. */
  readonly checked: (isStrict: boolean) => Promise<readonly CheckedCredential[]>;
  /** The stored accounts, and what is known of how much of each is left. */
  readonly standings: () => Promise<readonly ListedStoredAccount[]>;
  readonly log: (request: LoggedRequest) => void;
  /** For the operator. */
  readonly warn: (message: string) => void;
  readonly now: () => number;
  /** Letters and digits. */
  readonly newId: () => string;
  readonly setTimer: (callback: () => void, ms: number) => { cancel(): void };
}
