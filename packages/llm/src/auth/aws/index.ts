// How a Bedrock request is authorised: a bearer token, or a signature with the first credentials the chain finds.

import { CredentialError } from "../../types/errors.ts";
import type { Auth } from "../../types/protocol.ts";
import { renewBeforeExpiry } from "../renewing.ts";
import type { AwsContext, AwsCredentials } from "./types.ts";

export type { AwsContext, AwsCredentials } from "./types.ts";

export function bedrockAuth(context: AwsContext): Auth {
  const { deps, region } = context;
  const credentials = renewBeforeExpiry(() => resolveAwsCredentials(context), deps.now);
  return async (request) => {
    const bearer = deps.env["AWS_BEARER_TOKEN_BEDROCK"];
    if (bearer) return { ...request, headers: { ...request.headers, authorization: `Bearer ${bearer}` } };
    const { signRequest } = await import("./sigv4.ts");
    return signRequest(request, await credentials(), { service: "bedrock", region, now: deps.now() });
  };
}

/** Static keys, profile, web identity, container, instance: the first that has some. */
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
