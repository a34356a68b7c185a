// Writes docs/settings.md and the schema of config.yml from the table of settings.

import type { JsonSchema } from "@lathe/llm";
import type { Schema } from "@lathe/llm/schema";
import { helpOf, SETTINGS, type SettingKey } from "./schema.ts";
import { choicesOf, kindOf, NAMED_TEXTS, type SettingKind } from "./setting-kinds.ts";

export function settingsDocument(): string {
  const rows = (Object.entries(SETTINGS) as [SettingKey, Schema][]).map(
    ([key, schema]) =>
      `| \`${key}\` | ${typeOf(schema)} | ${defaultOf(schema)} | ${helpOf(key).replaceAll("|", "\\|")} |`,
  );
  return `# Settings

Settings are in \`~/.lathe/config.yml\` (\`LATHE_HOME\` replaces \`~/.lathe\`). You can edit the file or use the command:

\`\`\`text
lathe config list              every setting with its value, where the value comes from, and its meaning
lathe config get <key>
lathe config set <key> <value>
lathe config unset <key>
lathe config path              the path of the file
\`\`\`

Dots in a key are levels in the file. A key without a value is not set, and a value that begins with \`*\` or \`!\` must be
quoted. A value of the wrong type is an error with file and line; an unknown key is a warning with the nearest name. The
\`schemas\` folder of the package has JSON Schemas for editors (\`config.json\`, \`models.json\`, \`mcp.json\`); files that
Lathe creates refer to them.

Settings come in layers, and later ones win:

1. built-in defaults
2. \`~/.lathe/config.yml\`. If there is none, Lathe converts \`settings.json\` or \`config.json\` in that folder to it, once.
3. the project's \`.lathe/settings.json\` and \`.lathe/config.yml\`: the nearest ones from the working directory up to the
   root of the repository. They take effect once you run \`lathe trust\` in their folder or a folder above. Trusting your
   home folder, or a folder above it, does not cover the repositories below it.
4. each file that you pass with \`--config\`, YAML or JSON with comments
5. options of the run

Entries of \`enabledModels\` and \`disabledProviders\` can be limited to a folder and those below it:
\`{path: ~/work, models: [openai/*]}\`. \`paths\`, \`pathPrefix\` and \`pathPrefixes\` mean the same as \`path\`.

| key | type | default | meaning |
| --- | --- | --- | --- |
${rows.join("\n")}
`;
}

/** Levels may be nested or written out with dots; a key without a value is not set. */
export function settingsSchema(): JsonSchema {
  return sectionSchema(Object.entries(SETTINGS));
}

function sectionSchema(entries: readonly (readonly [string, Schema])[]): JsonSchema {
  const properties: Record<string, JsonSchema> = { $schema: { type: "string" } };
  for (const [key, schema] of entries) {
    const [name = key] = key.split(".");
    const prefix = `${name}.`;
    const below = entries.filter(([other]) => other.startsWith(prefix));
    properties[name] ??=
      below.length === 0
        ? { anyOf: [schema, { type: "null" }] }
        : sectionSchema(below.map(([other, inner]) => [other.slice(prefix.length), inner]));
  }
  return { type: ["object", "null"], properties, patternProperties: { "\\.": {} }, additionalProperties: false };
}

const NAMES: Readonly<Partial<Record<SettingKind, string>>> = {
  words: "list of strings",
  scoped: "list of strings",
  rules: "list of rules",
  map: "map of names to numbers",
};

function typeOf(schema: Schema): string {
  const choices = choicesOf(schema);
  if (choices) return choices.map((choice) => `\`${choice}\``).join(", ");
  if (schema["expects"] === NAMED_TEXTS) return "map of names to strings";
  const kind = kindOf(schema);
  return NAMES[kind] ?? kind;
}

function defaultOf({ default: value }: Schema): string {
  if (value === "" || (Array.isArray(value) && value.length === 0)) return "–";
  return `\`${typeof value === "object" ? JSON.stringify(value) : String(value)}\``;
}
