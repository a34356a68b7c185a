// Finds the user's global gitignore: core.excludesFile of their git settings, otherwise git's default location.

import { join, resolve } from "node:path";
import type { EnvVars } from "../../process/env-policy.ts";
import { textOfRegularFile } from "./regular-file.ts";

/** The text of the file; undefined if there is none. */
export function personalIgnoreFile(env: EnvVars): string | undefined {
  const home = env["HOME"];
  if (!home) return undefined;
  const config = env["XDG_CONFIG_HOME"] || join(home, ".config");
  const named = excludesFile(join(home, ".gitconfig")) ?? excludesFile(join(config, "git/config"));
  return textOfRegularFile(
    named === undefined ? join(config, "git/ignore") : resolve(named.replace(/^~(?=\/|$)/, home)),
  );
}

/** The value of core.excludesFile, with git's sections and quoting. */
function excludesFile(configFile: string): string | undefined {
  let section = "";
  let found: string | undefined;
  for (const line of textOfRegularFile(configFile)?.split("\n") ?? []) {
    section = /^\s*\[\s*([^\]"\s]+)/.exec(line)?.[1]?.toLowerCase() ?? section;
    const value = /^\s*(?:\[core\]\s*)?excludesfile\s*=\s*"?([^"]*?)"?\s*$/i.exec(line)?.[1];
    if (section === "core" && value) found = value;
  }
  return found;
}
