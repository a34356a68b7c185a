// Settings of the broker that keeps the credentials in the place of this machine.

import { type Schema, text } from "@lathe/llm/schema";

const HOW = "an address itself, the name of a variable, or !command; a project's settings cannot set it";

export const BROKER_SETTINGS = {
  "auth.broker.url": text({
    default: "",
    description: `address of the broker that keeps your credentials, such as https://broker.corp.example:8765; empty = they are kept on this machine; ${HOW}`,
  }),
  "auth.broker.token": text({
    default: "",
    description:
      "token for the broker: the name of a variable, !command, or the token itself; empty = what ~/.lathe/auth-broker.token holds; a project's settings cannot set it",
  }),
} as const satisfies Record<string, Schema>;

/** Only the user's own files name who keeps the credentials. */
export const USERS_BROKER = /^auth\.broker\./;

/** A token that is written in the settings themselves; undefined when they say where it is. */
export function writtenToken(setting: string): string | undefined {
  return setting === "" || setting.startsWith("!") || isVariableName(setting) ? undefined : setting;
}

/** How a setting may be shown: a token that is written in it is not. */
export function shownSetting<T>(key: string, value: T): T | string {
  return key === "auth.broker.token" && writtenToken(String(value)) !== undefined ? "(hidden)" : value;
}

/** What looks like the name of a variable is one, as in models.yml. */
export const isVariableName = (text: string): boolean => /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/.test(text);
