// Whether a folder's own settings make npm write, connect or start something even when it only lists.

import { posix } from "node:path";
import type { ExecutionEnvironment } from "../../../world/env/types.ts";

/** Lines of a `.npmrc` that only say how packages are installed. */
const HARMLESS =
  /^\s*(?:[#;].*|(?:save-exact|save-prefix|save|engine-strict|package-lock|lockfile-version|fund|audit|legacy-peer-deps|strict-peer-deps|auto-install-peers|strict-peer-dependencies|shamefully-hoist|node-linker|ignore-scripts|prefer-offline|prefer-dedupe|install-links|install-strategy|progress|message|access|init-license)\s*=\s*[\w.^~-]*\s*)?$/;

const LARGEST = 20_000;

/** What makes npm unsafe in `folder`: a setting there or in a folder above, up to one whose settings are the user's. */
export async function npmSteering(
  folder: string | undefined,
  env: ExecutionEnvironment,
  own: readonly (string | undefined)[],
): Promise<string | undefined> {
  if (folder === undefined) return "npm in an unknown folder";
  if (own.includes(folder)) return undefined;
  const path = posix.join(folder, ".npmrc");
  const stat = await env.stat(path);
  if (stat && (stat.kind !== "file" || stat.size > LARGEST)) return "the file .npmrc";
  const lines = stat ? (await env.readFile(path)).split(/\r?\n/) : [];
  const strange = lines.find((line) => !HARMLESS.test(line));
  // The text after the equals sign may be a secret.
  if (strange !== undefined) return `npm's setting ${strange.trim().split("=")[0]?.slice(0, 40)}`;
  const parent = posix.dirname(folder);
  return parent === folder ? undefined : npmSteering(parent, env, own);
}
