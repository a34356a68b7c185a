// How a Bedrock request is authorised: with a bearer token, or a signature with the first credentials that the chain
// finds.

import { bedrockBaseUrl, bedrockEndpointUrl, hasRegion } from "../../protocols/bedrock/endpoint.ts";
import { CredentialError } from "../../types/errors.ts";
import type { Auth } from "../../types/protocol.ts";
import { renewBeforeExpiry } from "../renewing.ts";
import type { AwsContext, AwsCredentials } from "./types.ts";

export type { AwsContext, AwsCredentials } from "./types.ts";

export function bedrockAuth(context: AwsContext): Auth {
  const { deps } = context;
  const credentials = renewBeforeExpiry(() => resolveAwsCredentials(context), deps.now);
  let place: Promise<ProfilePlace> | undefined;
  return async (asked) => {
    place ??= profilePlace(context);
    const { region = context.region, url } = await place;
    const request = url === undefined ? asked : { ...asked, url: url(asked.url) };
    const bearer = deps.env["AWS_BEARER_TOKEN_BEDROCK"];
    if (bearer) return { ...request, headers: { ...request.headers, authorization: `Bearer ${bearer}` } };
    const { signRequest } = await import("./sigv4.ts");
    return signRequest(request, await credentials(), { service: "bedrock", region, now: deps.now() });
  };
}

interface ProfilePlace {
  readonly region?: string;
  /** Changes the request's address as the profile says. */
  readonly url?: (url: string) => string;
}

/** Region and endpoint of the profile, if the environment names neither. The files are read with the first request. */
async function profilePlace({ deps, region: assumed }: AwsContext): Promise<ProfilePlace> {
  const { env } = deps;
  const isRegionSet = hasRegion(env);
  const { profileSettings } = await import("./profile.ts");
  const { region, endpoint_url: endpoint } = await profileSettings(deps);
  const hosts = {
    from: bedrockBaseUrl(assumed),
    to: endpoint?.replace(/\/+$/, "") ?? bedrockBaseUrl(region ?? assumed),
  };
  const moves =
    bedrockEndpointUrl(env) === undefined && (endpoint !== undefined || (!isRegionSet && region !== undefined));
  return {
    ...(isRegionSet || region === undefined ? {} : { region }),
    // An address that the user set for this provider stays.
    ...(moves ? { url: (url) => (url.startsWith(hosts.from) ? hosts.to + url.slice(hosts.from.length) : url) } : {}),
  };
}

/** Static keys, profile, web identity, container, instance: uses the first source that has credentials. */
export async function resolveAwsCredentials(context: AwsContext): Promise<AwsCredentials> {
  const { env } = context.deps;
  if (env["AWS_BEDROCK_SKIP_AUTH"] === "1") return { accessKeyId: "skipped", secretAccessKey: "skipped" };
  const { environmentCredentials, profileCredentials } = await import("./profile.ts");
  const found = environmentCredentials(context) ?? (await profileCredentials(context));
  if (found !== undefined) return found;
  const roleArn = env["AWS_ROLE_ARN"];
  const tokenFile = env["AWS_WEB_IDENTITY_TOKEN_FILE"];
  if (roleArn && tokenFile) {
    const { assumeWithWebIdentity } = await import("./sts.ts");
    return assumeWithWebIdentity({ roleArn, sessionName: env["AWS_ROLE_SESSION_NAME"] }, tokenFile, context);
  }
  const { containerCredentials, instanceCredentials } = await import("./metadata.ts");
  const issued = (await containerCredentials(context)) ?? (await instanceCredentials(context));
  if (issued !== undefined) return issued;
  throw new CredentialError(
    "no AWS credentials found; set AWS_BEARER_TOKEN_BEDROCK, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE",
  );
}
