// docs/settings.md, made from the table of settings.

import { SETTINGS, type SettingSpec } from "./schema.ts";

export function settingsDocument(): string {
  const rows = (Object.entries(SETTINGS) as [string, SettingSpec][]).map(
    ([key, spec]) => `| \`${key}\` | ${typeOf(spec)} | ${defaultOf(spec)} | ${spec.help} |`,
  );
  return `# Settings

Settings come in layers; later ones win: built-in defaults, \`~/.lathe/config.yml\`, the project's \`.lathe/config.yml\`,
each \`--config\` file, options of the run. \`LATHE_HOME\` replaces \`~/.lathe\`. A value of the wrong type is an error with
file and line; an unknown key is a warning with the nearest name. A \`--config\` file may also be JSON, with comments;
\`settings.json\` or \`config.json\` in \`~/.lathe\` is converted to \`config.yml\` once, if there is none. A key without a
value is not set; a value that begins with \`*\` or \`!\` must be quoted.

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

const LISTS: Readonly<Record<string, string>> = {
  strings: "list of words",
  scoped: "list of words",
  map: "names to numbers",
};

function typeOf(spec: SettingSpec): string {
  if (spec.choices) return spec.choices.map((choice) => `\`${choice}\``).join(", ");
  return LISTS[spec.type] ?? spec.type;
}

function defaultOf(spec: SettingSpec): string {
  const value = spec.default;
  if (value === "" || (Array.isArray(value) && value.length === 0)) return "–";
  return `\`${typeof value === "object" ? JSON.stringify(value) : String(value)}\``;
}
