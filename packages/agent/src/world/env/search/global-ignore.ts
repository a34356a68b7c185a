// Where a person's global gitignore is: core.excludesFile of their git settings, else git's usual place.

import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { EnvVars } from "../../process/env-policy.ts";

type Read = (path: string) => string | undefined;

export function globalIgnore(env: EnvVars, read: Read): string | undefined {
  const home = env["HOME"];
  if (!home) return undefined;
  const config = env["XDG_CONFIG_HOME"] || join(home, ".config");
  const named = excludesFile(read(join(home, ".gitconfig"))) ?? excludesFile(read(join(config, "git/config")));
  return read(named === undefined ? join(config, "git/ignore") : resolve(named.replace(/^~(?=\/|$)/, home)));
}

/** Its text; undefined when there is none. */
export function personalIgnoreFile(env: EnvVars): string | undefined {
  // Reading a pipe would block.
  const read: Read = (path) =>
    statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, "utf8") : undefined;
  return globalIgnore(env, read);
}

/** The value of core.excludesFile; sections and quoting as git writes them. */
function excludesFile(config: string | undefined): string | undefined {
  let section = "";
  let found: string | undefined;
  for (const line of config?.split("\n") ?? []) {
    section = /^\s*\[\s*([^\]"\s]+)/.exec(line)?.[1]?.toLowerCase() ?? section;
    const value = /^\s*(?:\[core\]\s*)?excludesfile\s*=\s*"?([^"]*?)"?\s*$/i.exec(line)?.[1];
    if (section === "core" && value) found = value;
  }
  return found;
}
