// Application Default Credentials: the file left by gcloud or an administrator, and the access tokens that we get with
// it.

import { classifyHttpFailure } from "../../errors/classify.ts";
import type { ClientDeps } from "../../types/adapter.ts";
import { AuthenticationError, CredentialError } from "../../types/errors.ts";
import type { JsonObject } from "../../types/json.ts";
import { fetchText, parseObject } from "../http.ts";

export interface AdcContext {
  readonly deps: Pick<ClientDeps, "env" | "readFile" | "homeDir" | "now" | "fetch" | "setTimer">;
  /** Provider name in errors. */
  readonly provider: string;
}

interface AccessToken {
  readonly value: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** The project that pays for the requests, for user credentials. */
  readonly quotaProject?: string;
}

const googleTokenUri = "https://oauth2.googleapis.com/token";
const scope = "https://www.googleapis.com/auth/cloud-platform";
const lifetimeSeconds = 3600;

export async function requestToken(context: AdcContext): Promise<AccessToken> {
  const { deps, provider } = context;
  const file = await readAdcFile(context);
  const tokenUri = text(file, "token_uri") ?? googleTokenUri;
  const form =
    file["type"] === "service_account" ? await serviceAccountForm(file, tokenUri, deps.now()) : userForm(file);
  const answer = await fetchText(deps, {
    url: tokenUri,
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
    body: [new URLSearchParams(form).toString()],
  });
  const issued = parseObject(answer.text);
  const value = text(issued, "access_token");
  if (answer.status === 200 && value !== undefined) {
    const seconds = typeof issued?.["expires_in"] === "number" ? issued["expires_in"] : lifetimeSeconds;
    const quotaProject = text(file, "quota_project_id");
    return {
      value,
      expiresAt: deps.now() + seconds * 1000,
      ...(quotaProject === undefined ? {} : { quotaProject }),
    };
  }
  if (answer.status === 400 || answer.status === 401) {
    const reason = text(issued, "error_description") ?? text(issued, "error") ?? `status ${answer.status}`;
    throw new AuthenticationError(
      `Google refused the application default credentials (${reason}); run \`gcloud auth application-default login\``,
      { provider, statusCode: answer.status },
    );
  }
  throw classifyHttpFailure({ provider, ...answer, body: answer.text, now: deps.now() });
}

async function readAdcFile({ deps }: AdcContext): Promise<JsonObject> {
  const named = deps.env["GOOGLE_APPLICATION_CREDENTIALS"];
  const path = named || `${deps.homeDir}/.config/gcloud/application_default_credentials.json`;
  const bytes = await deps.readFile(path).catch((cause: unknown) => {
    throw new CredentialError(
      named
        ? `GOOGLE_APPLICATION_CREDENTIALS names ${path}, which cannot be read`
        : "no Google credentials found; set GOOGLE_CLOUD_API_KEY or run `gcloud auth application-default login`",
      { cause },
    );
  });
  const file = parseObject(new TextDecoder().decode(bytes));
  const type = file?.["type"];
  if (file === undefined || (type !== "service_account" && type !== "authorized_user")) {
    throw new CredentialError(
      `${path} holds no credentials we can use (type ${String(type)}); use a service account or user credentials`,
    );
  }
  return file;
}

function userForm(file: JsonObject): Record<string, string> {
  return {
    grant_type: "refresh_token",
    client_id: text(file, "client_id") ?? "",
    client_secret: text(file, "client_secret") ?? "",
    refresh_token: text(file, "refresh_token") ?? "",
  };
}

async function serviceAccountForm(file: JsonObject, audience: string, now: number): Promise<Record<string, string>> {
  const { createSign } = process.getBuiltinModule("node:crypto");
  const issuedAt = Math.floor(now / 1000);
  const keyId = text(file, "private_key_id");
  const header = { alg: "RS256", typ: "JWT", ...(keyId === undefined ? {} : { kid: keyId }) };
  const claims = {
    iss: text(file, "client_email") ?? "",
    scope,
    aud: audience,
    iat: issuedAt,
    exp: issuedAt + lifetimeSeconds,
  };
  const unsigned = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  let signature: string;
  try {
    signature = createSign("RSA-SHA256")
      .update(unsigned)
      .sign(text(file, "private_key") ?? "", "base64url");
  } catch (cause) {
    throw new CredentialError("the service account's private key cannot be used; download a new key file", {
      cause,
    });
  }
  return { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: `${unsigned}.${signature}` };
}

function text(holder: JsonObject | undefined, name: string): string | undefined {
  const value = holder?.[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
