// How the bash tool runs commands, from the settings and the user's variables.

import type { BashSettings } from "@lathe/agent/tools";
import type { Settings } from "../settings/schema.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Set, and neither empty nor 0. */
const isOn = (value: string | undefined): boolean => value !== undefined && value !== "" && value !== "0";

export function bashSettings(settings: Settings, env: Env): BashSettings {
  return {
    login: !isOn(env["LATHE_BASH_NO_LOGIN"]),
    variables: isOn(env["LATHE_BASH_NO_CI"]) ? {} : { CI: "true" },
    prefix: env["LATHE_SHELL_PREFIX"] ?? env["CLAUDE_CODE_SHELL_PREFIX"],
    stripsHeadTail: settings["bash.stripTrailingHeadTail"],
    intercepts: settings["bashInterceptor.enabled"],
    pty: settings["bash.pty"] && !isOn(env["LATHE_NO_PTY"]),
  };
}
