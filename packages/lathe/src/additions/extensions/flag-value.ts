// The value of an extension's command line option, even before it is known which options take one.

import type { NamedExtensions } from "../../config/workspace/workspace.ts";
import type { ExtensionFlag } from "../../platform/extension-api/api.ts";

export function flagValue(
  { flags, unread }: NamedExtensions,
  name: string,
  spec: ExtensionFlag | undefined,
): string | boolean | undefined {
  const value = flags[name];
  if (!unread || value === undefined) return value;
  if (spec?.type !== "string") return spec && value;
  const at = unread.findIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`));
  const inline = unread[at]?.slice(name.length + 3) ?? "";
  return inline === "" ? unread[at + 1] : inline;
}
