// The parts of a connection that a shareable recording may contain: everything that shapes a request, but no
// credentials.

import type { ProviderOptions } from "@lathe/llm/providers";

export type PublicOptions = Pick<
  ProviderOptions,
  "api" | "auth" | "baseUrl" | "timeout" | "cacheRetention" | "disableStrictTools" | "requestTransform" | "compat"
>;

const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|HEADERS|AUTH|COOKIE/i;

/** The value of an environment variable as it may be recorded. */
export function publicValue(name: string, value: string): string {
  if (SECRET_NAME.test(name)) return "recorded";
  return /^https?:\/\//.test(value) ? publicUrl(value) : value;
}

export function publicOptions(options: ProviderOptions): PublicOptions {
  const { api, auth, baseUrl, timeout, cacheRetention, disableStrictTools, requestTransform, compat } = options;
  return {
    ...(api === undefined ? {} : { api }),
    ...(auth === undefined ? {} : { auth }),
    ...(baseUrl === undefined ? {} : { baseUrl: publicUrl(baseUrl) }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(cacheRetention === undefined ? {} : { cacheRetention }),
    ...(disableStrictTools === undefined ? {} : { disableStrictTools }),
    ...(requestTransform === undefined ? {} : { requestTransform: withoutHeaders(requestTransform) }),
    ...(compat === undefined ? {} : { compat }),
  };
}

/** Drops user, password and query, because they may contain keys. */
function publicUrl(text: string): string {
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`;
}

function withoutHeaders(
  transform: NonNullable<ProviderOptions["requestTransform"]>,
): NonNullable<ProviderOptions["requestTransform"]> {
  const { setHeaders: _headers, ...rest } = transform;
  return rest;
}
