// Settings of the broker that keeps the credentials instead of this machine.

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

/** Only the user's own files can say who keeps the credentials. */
export const USERS_BROKER = /^auth\.broker\./;
