// What the fields of a server may hold. A server with a field of another kind is not used: it might do something else than its
// author meant. A deadline that is none is only said.

import { isJsonObject } from "@lathe/llm";

interface FieldKind {
  readonly must: string;
  readonly fits: (value: unknown) => boolean;
  readonly keys: readonly string[];
}

const isText = (value: unknown): boolean => typeof value === "string";
/** People write ports and switches without quotes. */
const isWord = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value);
const isList = (value: unknown): boolean => Array.isArray(value) && value.every(isWord);

const KINDS: readonly FieldKind[] = [
  { keys: ["command"], must: "be a text or a list of texts", fits: (value) => isText(value) || isList(value) },
  {
    keys: ["args", "includeTools", "enabled_tools", "excludeTools", "disabled_tools"],
    must: "be a list of texts",
    fits: isList,
  },
  {
    keys: ["env", "environment", "headers", "http_headers", "env_http_headers"],
    must: "be an object of texts",
    fits: (value) => isJsonObject(value) && Object.values(value).every((one) => one === null || isWord(one)),
  },
  {
    keys: ["url", "httpUrl", "serverUrl"],
    must: "be an http or https address",
    fits: (value) => typeof value === "string" && (value === "" || value.includes("${") || isAddress(value)),
  },
  { keys: ["cwd", "type", "transport", "bearer_token_env_var"], must: "be a text", fits: isText },
  {
    keys: ["enabled", "disabled", "sampling"],
    must: "be true or false",
    fits: (value) => typeof value === "boolean",
  },
  {
    keys: ["oauth"],
    must: "be an object or false",
    fits: (value) => isJsonObject(value) || typeof value === "boolean",
  },
];

const DEADLINES = ["timeout", "tool_timeout_sec", "startupTimeout", "startup_timeout_sec"];

const isAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

type Written = Readonly<Record<string, unknown>>;

/** Why it cannot be used. */
export function wrongField(written: Written): string | undefined {
  for (const { keys, must, fits } of KINDS)
    for (const key of keys) {
      const value = written[key] ?? undefined;
      if (value !== undefined && !fits(value)) return `"${key}" must ${must}; it is not used`;
    }
  return undefined;
}

/** What of it is as if it were absent. */
export function ignoredField(written: Written): string | undefined {
  const key = DEADLINES.find((one) => (written[one] ?? undefined) !== undefined && !isDeadline(written[one]));
  const unit = key?.endsWith("_sec") ? "seconds" : "milliseconds";
  return key && `"${key}" must be a number of ${unit} above 0; the usual one is used`;
}

const isDeadline = (value: unknown): boolean => typeof value === "number" && value > 0;
