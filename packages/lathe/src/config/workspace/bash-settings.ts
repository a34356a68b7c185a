// How commands of the tool `bash` are run: from the settings and from the person's variables.

import type { BashSettings } from "@lathe/agent/tools";
import type { Settings } from "../settings/schema.ts";

type Env = Readonly<Record<string, string | undefined>>;

/** Set to anything but 0 or nothing. */
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
