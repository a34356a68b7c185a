// docs/settings.md and the schema of config.yml, made from the table of settings.

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

Settings come in layers; later ones win: built-in defaults, \`~/.lathe/config.yml\`, the project's \`.lathe/settings.json\`
and \`.lathe/config.yml\`, each \`--config\` file, options of the run. \`LATHE_HOME\` replaces \`~/.lathe\`. A value of the wrong
type is an error with file and line; an unknown key is a warning with the nearest name. A \`--config\` file may also be
JSON, with comments; \`settings.json\` or \`config.json\` in \`~/.lathe\` is converted to \`config.yml\` once, if there is none. A
key without a value is not set; a value that begins with \`*\` or \`!\` must be quoted. JSON Schemas for
editors are in the package's \`schemas\` folder: \`config.json\`, \`models.json\` and \`mcp.json\`; your own files name them when
Lathe creates them.

The project's file is the nearest one from the directory up to the root of its repository, and takes effect once you run
\`lathe trust\` in its folder or a folder above. Trusting your home folder, or a folder above it, covers that folder only,
not the repositories below.

\`lathe config list\` shows every value and where it comes from; \`lathe config get|set|unset <key>\` reads, writes and
removes one; \`lathe config path\` names the file. Dots in a key are levels in the file. List entries that may be limited
to folders are written as \`{path: ~/work, models: [openai/*]}\` and apply to that folder and those below it; \`paths\`,
\`pathPrefix\` and \`pathPrefixes\` mean the same.

| key | type | default | meaning |
| --- | --- | --- | --- |
${rows.join("\n")}
`;
}

/** Levels are nested, or written out with dots; a key without a value is not set. */
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
  words: "list of words",
  scoped: "list of words",
  map: "names to numbers",
};

function typeOf(schema: Schema): string {
  const choices = choicesOf(schema);
  if (choices) return choices.map((choice) => `\`${choice}\``).join(", ");
  if (schema["expects"] === NAMED_TEXTS) return "names to texts";
  const kind = kindOf(schema);
  return NAMES[kind] ?? kind;
}

function defaultOf({ default: value }: Schema): string {
  if (value === "" || (Array.isArray(value) && value.length === 0)) return "–";
  return `\`${typeof value === "object" ? JSON.stringify(value) : String(value)}\``;
}
