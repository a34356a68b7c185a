// Repairs texts that mean a path without being one: quoted, starting at the home directory, or as a file:// address.

import type { ExecutionEnvironment } from "../../world/env/types.ts";

/** Undefined if there is nothing to repair. */
export function unquotePath(text: string, env: Pick<ExecutionEnvironment, "home">): string | undefined {
  let plain = text.trim();
  const [, quoted] = /^(["'`])(.+)\1$/s.exec(plain) ? [undefined, plain.slice(1, -1)] : [];
  plain = quoted ?? plain;
  if (/^file:\/\//i.test(plain)) plain = filePath(plain);
  if (env.home !== undefined && /^~(?:\/|$)/.test(plain)) plain = env.home + plain.slice(1);
  return plain === text ? undefined : plain;
}

function filePath(url: string): string {
  const path = url.replace(/^file:\/\/(?:localhost)?/i, "");
  try {
    return decodeURIComponent(path);
  } catch {
    // A percent sign that is not an escape is part of the name.
    return path;
  }
}
