// Signature Version 4 for a request whose body is known.

import { joinBody } from "../../transport/join-body.ts";
import type { TransportRequest } from "../../types/adapter.ts";
import type { AwsCredentials } from "./types.ts";

interface SigningScope {
  readonly service: string;
  readonly region: string;
  readonly now: number;
}

/** Signs host, date and session token only, so that nothing between us and AWS breaks it by touching other headers. */
export async function signRequest(
  request: TransportRequest,
  credentials: AwsCredentials,
  scope: SigningScope,
): Promise<TransportRequest> {
  const { AwsV4Signer } = await import("aws4fetch");
  const body = joinBody(request.body ?? []);
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const signer = new AwsV4Signer({
    method: request.method,
    url: request.url,
    body,
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    service: scope.service,
    region: scope.region,
    datetime: new Date(scope.now).toISOString().replace(/[:-]|\.\d{3}/g, ""),
  });
  const signed = await signer.sign();
  return {
    ...request,
    headers: { ...request.headers, ...Object.fromEntries(signed.headers) },
    ...(request.body === undefined ? {} : { body: [body] }),
  };
}
