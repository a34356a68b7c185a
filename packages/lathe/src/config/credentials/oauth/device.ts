// Device authorisation (RFC 8628): shows a code and waits until the user has entered it on another device.

import { createHash, randomBytes } from "node:crypto";
import { CliError, EXIT } from "../../../platform/usage/exit.ts";
import type { OAuthCredential } from "../store.ts";
import type { OAuthRow } from "./rows.ts";
import { type Post, toCredential } from "./token.ts";

export interface DeviceFlow {
  readonly post: Post;
  readonly now: () => number;
  readonly sleep: (ms: number) => Promise<void>;
  readonly show: (line: string) => void;
}

/** Polling gives up after this many failures in a row. */
const MOST_FAILURES = 4;

export async function signInWithDevice(row: OAuthRow, flow: DeviceFlow): Promise<OAuthCredential> {
  if (!row.deviceUrl) throw new CliError(EXIT.usage, `${row.label} has no device sign-in.`);
  const verifier = randomBytes(32).toString("base64url");
  const grant = await flow.post(row.deviceUrl, {
    client_id: row.clientId,
    scope: row.scopes.join(" "),
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  const deviceCode = text(grant["device_code"]);
  const address = text(grant["verification_uri_complete"]) ?? text(grant["verification_uri"]);
  if (!deviceCode || !address)
    throw new CliError(EXIT.provider, `${row.label} did not start a sign-in. Try again later.`);
  flow.show(`Open ${address} and enter the code ${text(grant["user_code"]) ?? ""}`);

  let interval = Number(grant["interval"] ?? 5) * 1000;
  const deadline = flow.now() + Number(grant["expires_in"] ?? 600) * 1000;
  const ask = {
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    device_code: deviceCode,
    client_id: row.clientId,
    code_verifier: verifier,
  };
  let failures = 0;
  while (flow.now() < deadline) {
    await flow.sleep(interval);
    // A brief connection failure must not cancel a sign-in that the user is completing on another device.
    const reply = await flow.post(row.tokenUrl, ask).catch((error: unknown) => {
      if (++failures >= MOST_FAILURES) throw error;
      interval *= 2;
    });
    if (reply === undefined) continue;
    failures = 0;
    if (reply.error === "authorization_pending") continue;
    if (reply.error === "slow_down") interval += 5_000;
    else return toCredential(reply, { provider: row.provider, now: flow.now() });
  }
  throw new CliError(EXIT.provider, `The code was not entered in time. Run: lathe login ${row.provider}`);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
