// Reads configuration files of any agent: JSON (with comments), TOML and YAML, as a value with the line of each part.

import { isJsonObject, parseJson } from "@lathe/llm";
import { findNodeAtLocation, type ParseError, parse, parseTree, printParseErrorCode } from "jsonc-parser";
import type { Scan } from "./search.ts";
import type { Level } from "./types.ts";

export interface Structured {
  readonly value: Readonly<Record<string, unknown>>;
  /** Line of the part that these keys lead to. */
  lineOf(keys: readonly string[]): number | undefined;
}

/** Undefined, with a warning, if the file cannot be used. Comments and trailing commas are allowed. */
export function readJson(search: Scan, path: string, level: Level): Structured | undefined {
  const text = search.text(path, level);
  if (text === undefined || text.trim() === "") return undefined;
  const value = parseJson(text) ?? commentedJson(search, path, text);
  if (value === undefined) return undefined;
  if (!isJsonObject(value)) {
    search.warn(path, "it must hold one object: { … }", 1);
    return undefined;
  }
  return { value, lineOf: (keys) => jsonLine(text, keys) };
}

function commentedJson(search: Scan, path: string, text: string): unknown {
  const errors: ParseError[] = [];
  const value = parse(text.replace(/^\uFEFF/, " "), errors, { allowTrailingComma: true }) as unknown;
  const [broken] = errors;
  if (!broken) return value;
  search.warn(path, `it is not valid JSON: ${wordsOf(printParseErrorCode(broken.error))}`, lineAt(text, broken.offset));
  return undefined;
}

function jsonLine(text: string, keys: readonly string[]): number | undefined {
  const tree = parseTree(text);
  const node = tree && findNodeAtLocation(tree, [...keys]);
  return node && lineAt(text, node.parent?.offset ?? node.offset);
}

/** Like `readJson`, for YAML. */
export async function readYamlFile(search: Scan, path: string, level: Level): Promise<Structured | undefined> {
  const text = search.text(path, level);
  if (text === undefined || text.trim() === "") return undefined;
  const { isProblem, readYaml } = await import("../../platform/home/yaml.ts");
  const read = readYaml(text);
  const problem = isProblem(read)
    ? read
    : isJsonObject(read.value)
      ? undefined
      : { line: 1, message: "it must hold an object" };
  if (problem) search.warn(path, problem.message, problem.line);
  if (isProblem(read) || !isJsonObject(read.value)) return undefined;
  return { value: read.value, lineOf: (keys) => read.lineAt(read.document.getIn([...keys], true)) };
}

/** The line of a section is that of its header: `[mcp_servers.name]`. */
export async function readToml(search: Scan, path: string, level: Level): Promise<Structured | undefined> {
  const text = search.text(path, level);
  if (text === undefined) return undefined;
  const { parse: parseToml, TomlError } = await import("smol-toml");
  try {
    const value = parseToml(text) as Record<string, unknown>;
    return { value, lineOf: (keys) => tomlLine(text, keys) };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [first = ""] = error.message.split("\n");
    search.warn(path, `it is not valid TOML: ${first.replace(/^Invalid TOML document: /, "")}`, error.line);
    return undefined;
  }
}

function tomlLine(text: string, keys: readonly string[]): number | undefined {
  const lines = text.split("\n");
  const plain = (line: string): string =>
    line
      .trim()
      .replace(/^\[+|\]+$/g, "")
      .replaceAll(/["'\s]/g, "");
  const at = lines.findIndex((line) => line.trim().startsWith("[") && plain(line) === keys.join("."));
  if (at >= 0) return at + 1;
  const last = keys.at(-1) ?? "";
  const entry = lines.findIndex((line) => /^[\w"'-]/.test(line.trim()) && plain(line).startsWith(`${last}=`));
  return entry >= 0 ? entry + 1 : undefined;
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;

/** Turns `CloseBraceExpected` into "close brace expected". */
const wordsOf = (code: string): string => code.replaceAll(/(?<!^)([A-Z])/g, " $1").toLowerCase();
