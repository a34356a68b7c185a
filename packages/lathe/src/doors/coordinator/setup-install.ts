// Puts the rendered entry into the configuration of a controller's profile. Its other lines stay as they are, byte by byte where that is
// possible; an entry that was written or changed by hand stays as well, and that is an error.

import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, type JsonValue } from "@lathe/llm";
import { type Document, isMap, isScalar } from "yaml";
import { canonicalJson } from "../../conversation/gates/canonical-json.ts";
import { replaceFile, withFileLock } from "../../platform/home/json-file.ts";
import { readIfThere } from "../../platform/home/small-file.ts";
import { isProblem, readYaml } from "../../platform/home/yaml.ts";
import { CliError, EXIT, usageError } from "../../platform/usage/exit.ts";
import { ENTRY_NAME, isRendered, SECTION, type SetupEntry, YAML_STYLE, yamlOf } from "./setup.ts";

const CONFIG_FILE = "config.yaml";
/** Of a section that we begin. */
const INDENT = 2;

interface Installed {
  readonly file: string;
  readonly outcome: "added" | "updated" | "unchanged";
}

export async function installEntry(profileDir: string, entry: SetupEntry): Promise<Installed> {
  if (!existsSync(profileDir) || !statSync(profileDir).isDirectory())
    throw usageError(`--profile-dir is the folder of the controller's profile. There is no folder ${profileDir}.`);
  const file = join(profileDir, CONFIG_FILE);
  return withFileLock(file, async () => ({ file, outcome: await putEntry(file, entry) }));
}

async function putEntry(file: string, entry: SetupEntry): Promise<Installed["outcome"]> {
  const text = readIfThere(file) ?? "";
  const read = readYaml(text);
  if (isProblem(read)) throw usageError(`${file}:${read.line}: ${read.message}. Fix that line first.`);
  const { document, value = null } = read as { readonly document: Document; readonly value: JsonValue };
  const section = isJsonObject(value) ? (value[SECTION] ?? null) : null;
  if ((value !== null && !isJsonObject(value)) || (section !== null && !isJsonObject(section)))
    throw usageError(`${file}: ${SECTION} is not a mapping. Fix the file first.`);
  const known = section?.[ENTRY_NAME];
  if (known !== undefined && !isRendered(known))
    throw new CliError(
      EXIT.failed,
      `${file} has an entry ${ENTRY_NAME} that was written or changed by hand; it was not touched. Remove it, then run this again.`,
    );
  if (known !== undefined && canonicalJson(known) === canonicalJson(entry)) return "unchanged";
  const wanted = { ...value, [SECTION]: { ...section, [ENTRY_NAME]: entry } };
  const kept = withLines(document, text, entry);
  await replaceFile(file, kept !== undefined && holds(kept, wanted) ? kept : rewritten(document, entry));
  return known === undefined ? "added" : "updated";
}

/** Only the lines of the entry change. Undefined where the section is written in another way than as lines. */
function withLines(document: Document, text: string, entry: SetupEntry): string | undefined {
  const section = document.get(SECTION);
  const end = text === "" || text.endsWith("\n") ? "" : "\n";
  if (section === undefined) return `${text}${end}${yamlOf({ [SECTION]: { [ENTRY_NAME]: entry } })}`;
  const [first] = isMap(section) && !section.flow ? section.items : [];
  if (!isMap(section) || !isScalar(first?.key) || !first.key.range) return undefined;
  const from = text.lastIndexOf("\n", first.key.range[0] - 1) + 1;
  const lines = indented(yamlOf({ [ENTRY_NAME]: entry }), first.key.range[0] - from);
  const known = section.items.find(({ key }) => isScalar(key) && key.value === ENTRY_NAME);
  if (!known) return text.slice(0, from) + lines + text.slice(from);
  if (!isScalar(known.key) || !known.key.range || !isMap(known.value) || !known.value.range) return undefined;
  const start = text.lastIndexOf("\n", known.key.range[0] - 1) + 1;
  return text.slice(0, start) + lines + text.slice(known.value.range[2]);
}

const indented = (lines: string, by: number): string => lines.replace(/^(?=.)/gm, " ".repeat(by));

function holds(text: string, wanted: JsonValue): boolean {
  const read = readYaml(text);
  return !isProblem(read) && canonicalJson(read.value as JsonValue) === canonicalJson(wanted);
}

function rewritten(document: Document, entry: SetupEntry): string {
  // An empty section is still a section.
  if (isMap(document.get(SECTION))) document.setIn([SECTION, ENTRY_NAME], document.createNode(entry));
  else document.setIn([SECTION], document.createNode({ [ENTRY_NAME]: entry }));
  return document.toString({ ...YAML_STYLE, indent: INDENT });
}
