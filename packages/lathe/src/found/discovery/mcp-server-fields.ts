// The fields of a server and their types. A server with an invalid field is not used, because it might do something
// other than its author meant. An invalid deadline is only reported.

import {
  anyObject,
  Checker,
  flag,
  listOf,
  mapOf,
  number,
  oneOf,
  openObject,
  optional,
  orNull,
  type Schema,
  text,
} from "@lathe/llm/schema";

interface FieldKind {
  readonly must: string;
  readonly schema: Schema;
  readonly keys: readonly string[];
}

/** People write ports and switches without quotes. */
const word = oneOf(text(), number(), flag());

const KINDS: readonly FieldKind[] = [
  { keys: ["command"], must: "be a text or a list of texts", schema: oneOf(text(), listOf(word)) },
  {
    keys: ["args", "includeTools", "enabled_tools", "excludeTools", "disabled_tools"],
    must: "be a list of texts",
    schema: listOf(word),
  },
  {
    keys: ["env", "environment", "headers", "http_headers", "env_http_headers"],
    must: "be an object of texts",
    schema: mapOf(orNull(word)),
  },
  {
    keys: ["url", "httpUrl", "serverUrl"],
    must: "be an http or https address",
    schema: text({ format: "server-address" }),
  },
  { keys: ["cwd", "type", "transport", "bearer_token_env_var"], must: "be a text", schema: text() },
  {
    keys: ["enabled", "disabled", "sampling"],
    must: "be true or false",
    schema: flag(),
  },
  {
    keys: ["oauth"],
    must: "be an object or false",
    schema: oneOf(anyObject(), flag()),
  },
];

const DEADLINES = ["timeout", "tool_timeout_sec", "startupTimeout", "startup_timeout_sec"];

const isAddress = (value: string): boolean => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

const FORMATS = {
  "server-address": {
    expects: "an http or https address",
    check: (value: string) => value === "" || value.includes("${") || isAddress(value),
  },
};

const deadline = number({ exclusiveMinimum: 0 });

const server = openObject(
  Object.fromEntries([
    ...KINDS.flatMap(({ keys, must, schema }) =>
      keys.map((key) => [key, optional({ description: `Must ${must}.`, ...schema })]),
    ),
    ...DEADLINES.map((key) => [key, optional(deadline)]),
  ]),
);

/** Schema of mcp.json. */
export const mcpFileSchema: Schema = openObject({
  $schema: optional(text()),
  mcpServers: optional(mapOf(server)),
  servers: optional(mapOf(server)),
});

type Written = Readonly<Record<string, unknown>>;

/** Why the server cannot be used. */
export function wrongField(written: Written): string | undefined {
  for (const { keys, must, schema } of KINDS)
    for (const key of keys) {
      const value = written[key] ?? undefined;
      if (value !== undefined && !new Checker(schema, { formats: FORMATS }).fits(value))
        return `"${key}" must ${must}; it is not used`;
    }
  return undefined;
}

/** Which of its fields is ignored, and why. */
export function ignoredField(written: Written): string | undefined {
  const key = DEADLINES.find(
    (one) => (written[one] ?? undefined) !== undefined && !new Checker(deadline).fits(written[one]),
  );
  const unit = key?.endsWith("_sec") ? "seconds" : "milliseconds";
  return key && `"${key}" must be a number of ${unit} above 0; the default is used`;
}
