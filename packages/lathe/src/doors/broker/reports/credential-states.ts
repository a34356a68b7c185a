// The state of each credential, as one word and as one line of text; for a running broker or from its files.

import { choice, integer, listOf, object, optional, type Static, text } from "@lathe/llm/schema";
import type { OpenAccount } from "../../../config/credentials/store.ts";
import { momentText } from "../../../platform/usage/moments.ts";
import type { RenewalNote } from "../renewal/renewal-notes.ts";

const STATES = [
  /** The broker renews it, or it never expires. */
  "good",
  /** It expires soon and only a new sign-in helps. */
  "ending",
  "expired",
  "renewing",
  /** The broker was killed while asking the issuer. */
  "cut_off",
  /** The issuer could not be reached or gave no usable answer. We ask again. */
  "failing",
  /** The new token is only in memory, because the disk is full. */
  "unsaved",
  /** Not renewed, because the answer could not be stored. */
  "blocked",
  "disabled",
] as const;

const credentialState = object({
  provider: text(),
  id: text(),
  name: text(),
  type: choice(["api_key", "oauth"]),
  identity: optional(text()),
  expires: optional(integer()),
  state: choice(STATES),
  /** The reason, if there is one. */
  cause: optional(text()),
  /** Epoch milliseconds of the last attempt, or of the change to this state. */
  at: optional(integer()),
});
/** Contains no secrets. */
export type CredentialState = Static<typeof credentialState>;

/** The reply to `GET /v1/status`. */
export const statusReply = object({ version: text(), credentials: listOf(credentialState) });

export interface KnownFacts {
  readonly issuers: ReadonlySet<string>;
  readonly notes: Readonly<Record<string, RenewalNote>>;
  readonly isUnderWay: (id: string) => boolean;
  readonly diskProblem: (id: string) => { readonly isUnsaved: boolean; readonly cause: string } | undefined;
  readonly now: number;
}

export function stateOf({ info, credential }: OpenAccount, known: KnownFacts): CredentialState {
  const { provider, id, name, type, identity, expires } = info;
  const named = {
    provider,
    id,
    name,
    type,
    ...(identity === undefined ? {} : { identity }),
    ...(expires === undefined ? {} : { expires }),
  };
  if (info.disabled !== undefined) return { ...named, state: "disabled", ...info.disabled };
  if (credential.type === "api_key") return { ...named, state: "good" };
  if (known.isUnderWay(id)) return { ...named, state: "renewing" };
  const disk = known.diskProblem(id);
  if (disk) return { ...named, state: disk.isUnsaved ? "unsaved" : "blocked", cause: disk.cause };
  const { noteAsking: asking, noteFailure: failed } = known.notes[id] ?? {};
  if (asking !== undefined) return { ...named, state: "cut_off", at: asking };
  if (failed) return { ...named, state: "failing", cause: failed.cause, at: failed.at };
  const isRenewable = info.isRenewable && known.issuers.has(provider);
  if (isRenewable || expires === undefined) return { ...named, state: "good" };
  const why = info.isRenewable ? "oauth.yml has no row for its issuer" : "it has no refresh token";
  return { ...named, state: expires <= known.now ? "expired" : "ending", cause: why };
}

/** Whether the operator should look at this credential. */
export const isTrouble = ({ state }: CredentialState): boolean => state !== "good" && state !== "renewing";

export function stateText({ provider, name, state, cause, expires, at }: CredentialState): string {
  const when = (time: number | undefined): string => (time === undefined ? "?" : momentText(time));
  const account = name === "default" ? "" : ` --account ${name}`;
  const again = `run: lathe auth-broker login ${provider}${account}`;
  switch (state) {
    case "good":
      return expires === undefined ? "good" : `good until ${when(expires)}, then renewed`;
    case "ending":
      return `good until ${when(expires)}, cannot be renewed: ${cause}`;
    case "expired":
      return `ended ${when(expires)}, cannot be renewed: ${cause}; ${again}`;
    case "renewing":
      return "being renewed";
    case "cut_off":
      return `renewing was cut off at ${when(at)}; a running broker tries it again`;
    case "failing":
      return `renewing failed at ${when(at)}, tried again each minute: ${cause}`;
    case "unsaved":
      return `renewed, but the vault cannot be written: ${cause}`;
    case "blocked":
      return `not renewed, because the vault cannot be written: ${cause}`;
    case "disabled":
      return `disabled ${when(at)}: ${cause}; ${again}`;
  }
}
