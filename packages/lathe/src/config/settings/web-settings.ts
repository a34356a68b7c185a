// Settings for reading from the web.

import { flag, mapOf, type Schema, text } from "@lathe/llm/schema";
import { NAMED_TEXTS } from "./setting-kinds.ts";

export const WEB_SETTINGS = {
  "web.allowPrivate": flag({
    default: false,
    description: "let web requests reach private addresses, and ports on this machine that other programs listen on",
  }),
  "web.mirrors": mapOf(text({ format: "http-address" }), {
    expects: NAMED_TEXTS,
    default: {},
    description:
      "where pages and site APIs are fetched from instead, by origin: https://pypi.org=https://pypi.corp.example/all; a project's settings cannot set it",
  }),
  "web.reader": text({
    format: "http-address",
    default: "",
    description:
      "base address of a service that reads pages which have no text without their scripts, such as https://r.jina.ai; it gets their addresses; empty = none; a project's settings cannot set it",
  }),
} as const satisfies Record<string, Schema>;

/** Only the user's own files can set these, because they decide who receives addresses and tokens. */
export const USERS_WEB = /^web\.(?:mirrors|reader)$/;
