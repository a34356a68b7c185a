// Parses the YAML of a settings file and knows the line of each key. Errors name the file and line.

import { type Document, isMap, type Pair } from "yaml";
import { isProblem, readYaml } from "../../platform/home/yaml.ts";
import { usageError } from "../../platform/usage/exit.ts";

export interface ParsedSettings {
  readonly document: Document;
  readonly value: unknown;
  lineOf(key: string): number;
}

export function parseSettings(file: string, text: string): ParsedSettings {
  const read = readYaml(/\.jsonc?$/.test(file) ? withoutComments(text) : text);
  if (isProblem(read)) throw usageError(`${file}:${read.line}: ${read.message}. Fix that line.`);
  const { document, value, lineAt } = read;
  if (document.contents !== null && !isMap(document.contents))
    throw usageError(`${file}:1: settings are written as \`key: value\`, one per line. Fix or remove the file.`);
  return {
    document,
    value: value ?? {},
    lineOf: (key) => lineAt(spellingsOf(document, key)[0]?.at(-1)?.key) ?? 1,
  };
}

/** JSON is valid YAML, except for its comments. The rest of the text keeps its position. */
function withoutComments(json: string): string {
  return json.replace(/"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (part) =>
    part.startsWith('"') ? part : part.replace(/[^\n]/g, " "),
  );
}

/**
 * All spellings of a key in the document: nested levels, or written out with dots. Each is the list of pairs that lead
 * to it.
 */
export function spellingsOf(document: Document, key: string): readonly (readonly Pair[])[] {
  const find = (node: unknown, rest: string): Pair[][] => {
    if (!isMap(node)) return [];
    return node.items.flatMap((pair) => {
      const name = String(pair.key);
      if (name === rest) return [[pair]];
      return rest.startsWith(`${name}.`)
        ? find(pair.value, rest.slice(name.length + 1)).map((way) => [pair, ...way])
        : [];
    });
  };
  return find(document.contents, key);
}
