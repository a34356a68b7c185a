// Temporary credentials from STS: with a web identity token, or by assuming a role with other credentials.

import type { TransportRequest } from "../../types/adapter.ts";
import { CredentialError } from "../../types/errors.ts";
import { fetchText } from "../http.ts";
import { signRequest } from "./sigv4.ts";
import type { AwsContext, AwsCredentials } from "./types.ts";

interface RoleRequest {
  readonly roleArn: string;
  readonly sessionName?: string | undefined;
  readonly externalId?: string | undefined;
}

export async function assumeWithWebIdentity(
  role: RoleRequest,
  tokenFile: string,
  context: AwsContext,
): Promise<AwsCredentials> {
  const token = await readToken(tokenFile, context);
  const request = stsRequest("AssumeRoleWithWebIdentity", { ...roleFields(role), WebIdentityToken: token }, context);
  return readCredentials(request, role, context);
}

export async function assumeRole(
  role: RoleRequest,
  source: AwsCredentials,
  context: AwsContext,
): Promise<AwsCredentials> {
  const { region, deps } = context;
  const request = stsRequest("AssumeRole", roleFields(role), context);
  const signed = await signRequest(request, source, { service: "sts", region, now: deps.now() });
  return readCredentials(signed, role, context);
}

async function readToken(path: string, { deps }: AwsContext): Promise<string> {
  try {
    return new TextDecoder().decode(await deps.readFile(path)).trim();
  } catch (cause) {
    throw new CredentialError(`the web identity token file ${path} cannot be read`, { cause });
  }
}

function roleFields(role: RoleRequest): Record<string, string> {
  return {
    RoleArn: role.roleArn,
    RoleSessionName: role.sessionName || "lathe",
    ...(role.externalId ? { ExternalId: role.externalId } : {}),
  };
}

function stsRequest(action: string, fields: Record<string, string>, { region }: AwsContext): TransportRequest {
  const form = new URLSearchParams({ Action: action, Version: "2011-06-15", ...fields });
  return {
    url: `https://sts.${region}.amazonaws.com/`,
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/xml" },
    body: [form.toString()],
  };
}

async function readCredentials(
  request: TransportRequest,
  role: RoleRequest,
  { deps }: AwsContext,
): Promise<AwsCredentials> {
  const { status, text } = await fetchText(deps, request);
  const field = (name: string): string | undefined => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];
  const accessKeyId = field("AccessKeyId");
  const secretAccessKey = field("SecretAccessKey");
  const sessionToken = field("SessionToken");
  if (status !== 200 || !accessKeyId || !secretAccessKey || !sessionToken) {
    const reason = field("Message") ?? `status ${status}`;
    throw new CredentialError(`AWS did not let us assume ${role.roleArn}: ${reason}`);
  }
  const expiresAt = Date.parse(field("Expiration") ?? "");
  return { accessKeyId, secretAccessKey, sessionToken, ...(Number.isNaN(expiresAt) ? {} : { expiresAt }) };
}
