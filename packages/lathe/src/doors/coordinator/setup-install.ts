// Adds the rendered entry to the configuration of a controller's profile. Only the entry's text changes; all other
// bytes and the comments inside the entry stay. If that is impossible, the file is not touched. An entry that was
// written or edited by hand stays, too, and is an error.

import { isUtf8 } from "node:buffer";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonValue } from "@lathe/llm";
import { type Document, isMap, isNode, isScalar, type Pair, parseDocument, type Scalar, type YAMLMap } from "yaml";
import { canonicalJson } from "../../conversation/gates/canonical-json.ts";
import { replaceFile, withFileLock } from "../../platform/home/json-file.ts";
import { readIfThere } from "../../platform/home/small-file.ts";
import { isProblem, readYaml } from "../../platform/home/yaml.ts";
import { CliError, EXIT, usageError } from "../../platform/usage/exit.ts";
import { ENTRY_NAME, isRendered, SECTION, type SetupEntry, YAML_STYLE, yamlOf } from "./setup.ts";

const CONFIG_FILE = "config.yaml";
/** Indentation of a section that we add. */
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
  const text = textOf(file);
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
  const changed = withEntry(document, text, entry);
  if (changed === undefined || !holds(changed, wanted))
    throw new CliError(
      EXIT.failed,
      `${file} is written in a way that an entry cannot be put into without changing more; it was not touched. Run this without --install and --profile-dir, and add the entry below ${SECTION} by hand.`,
    );
  const mode = existsSync(file) ? statSync(file).mode & 0o777 : 0o600;
  await replaceFile(file, changed, { mode });
  return known === undefined ? "added" : "updated";
}

function textOf(file: string): string {
  const text = readIfThere(file) ?? "";
  // Decoding replaces invalid bytes by these characters.
  if (text.includes("\uFFFD") && !isUtf8(readFileSync(file)))
    throw usageError(`${file} is not UTF-8 text. Save it as UTF-8, then run this again.`);
  return text;
}

/** Undefined if the section is written in a way that we cannot edit. */
function withEntry(document: Document, text: string, entry: SetupEntry): string | undefined {
  const eol = /\r?\n/.exec(text)?.[0] ?? "\n";
  const indent = (yaml: string, by: number): string => yaml.replace(/^(?=.)/gm, " ".repeat(by)).replaceAll("\n", eol);
  const lines = (value: object, by: number): string => indent(yamlOf(value), by);
  const top = isMap(document.contents) ? document.contents : undefined;
  const pair = top && pairOf(top, SECTION);
  if (!pair) {
    // A merge key may bring in a section that ours would hide.
    if (top && pairOf(top, "<<")) return undefined;
    const end = text === "" || text.endsWith("\n") ? "" : eol;
    const column = top ? columnOf(text, startOf(top.items[0])) : 0;
    const added = column === undefined ? undefined : lines({ [SECTION]: { [ENTRY_NAME]: entry } }, column);
    return added === undefined ? undefined : text + end + added;
  }
  const { value } = pair;
  if (isMap(value)) return value.flow ? inFlow(value, text, entry) : inBlock(value, text, entry, indent);
  const column = columnOf(text, startOf(pair));
  if (!isScalar(value) || !value.range || column === undefined) return undefined;
  // An empty section: add lines below it and drop its `~` or `null`.
  const [from, to] = value.range;
  const rest = text.slice(to);
  const line = rest.indexOf("\n") + 1 || rest.length;
  const kept = text.slice(0, from) + rest.slice(0, line);
  return `${kept}${kept.endsWith("\n") ? "" : eol}${lines({ [ENTRY_NAME]: entry }, column + INDENT)}${rest.slice(line)}`;
}

function inBlock(
  section: YAMLMap,
  text: string,
  entry: SetupEntry,
  indent: (yaml: string, by: number) => string,
): string | undefined {
  const known = pairOf(section, ENTRY_NAME);
  const start = startOf(known ?? section.items[0]);
  const column = columnOf(text, start);
  if (start === undefined || column === undefined) return undefined;
  const from = start - column;
  if (!known) return text.slice(0, from) + indent(yamlOf({ [ENTRY_NAME]: entry }), column) + text.slice(from);
  if (!isMap(known.value) || !known.value.range) return undefined;
  // Leave everything after the last value, such as comments of the next entry.
  const end = known.value.range[1];
  return text.slice(0, from) + indent(updateEntry(text.slice(from, end), column, entry), column) + text.slice(end);
}

/** The lines of the entry with new values. Comments that the user has added stay. */
function updateEntry(lines: string, column: number, entry: SetupEntry): string {
  const own = parseDocument(lines.replaceAll("\r\n", "\n").replace(new RegExp(`^ {${column}}`, "gm"), ""));
  const map = own.get(ENTRY_NAME);
  if (isMap(map)) putValues(own, map, entry);
  return own.toString(YAML_STYLE);
}

function putValues(own: Document, map: YAMLMap, values: object): void {
  for (const { key } of [...map.items]) if (!(String(key) in values)) map.delete(key);
  for (const [key, value] of Object.entries(values)) {
    const node = map.get(key, true);
    if (isMap(node) && isJsonObject(value)) putValues(own, node, value);
    else if (!isNode(node) || !isDeepStrictEqual(node.toJS(own), value)) {
      if (isScalar(node) && typeof value !== "object") node.value = value;
      else map.set(key, own.createNode(value));
    }
  }
}

/** One line between the braces, as JSON, which is valid YAML there. */
function inFlow(section: YAMLMap, text: string, entry: SetupEntry): string | undefined {
  const added = JSON.stringify({ [ENTRY_NAME]: entry }, null, 1)
    .replace(/\n */g, " ")
    .slice(2, -2);
  const known = pairOf(section, ENTRY_NAME);
  if (known) {
    const start = startOf(known);
    const end = isMap(known.value) ? known.value.range?.[1] : undefined;
    return start === undefined || end === undefined ? undefined : text.slice(0, start) + added + text.slice(end);
  }
  const brace = section.range?.[0];
  if (brace === undefined || text[brace] !== "{") return undefined;
  const rest = text.slice(brace + 1);
  const separator = section.items.length > 0 ? "," : " ";
  return `${text.slice(0, brace + 1)} ${added}${separator}${rest}`;
}

const pairOf = ({ items }: YAMLMap, name: string): Pair | undefined =>
  items.find(({ key }) => isScalar(key) && key.value === name);

const startOf = (pair: Pair | undefined): number | undefined =>
  isScalar(pair?.key) ? (pair.key as Scalar).range?.[0] : undefined;

/** Undefined if anything but spaces precedes it in its line. */
function columnOf(text: string, offset: number | undefined): number | undefined {
  if (offset === undefined) return undefined;
  const before = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^\uFEFF? *$/.test(before) ? before.replace("\uFEFF", "").length : undefined;
}

function holds(text: string, wanted: JsonValue): boolean {
  const read = readYaml(text);
  return !isProblem(read) && isDeepStrictEqual(read.value, wanted);
}
