// Kinds of settings that several tables use, and the extra fields of a definition for screens and documentation.

import { choice, listOf, object, oneOf, optional, type Schema, text } from "@lathe/llm/schema";

/** The forms that `lathe config set` accepts. */
export const NAMED_NUMBERS = "numbers by name, as name=1,other=2";
export const NAMED_TEXTS = "texts by name, as name=text,other=text";

/** A choice that is empty by default. */
export const choiceOrEmpty = <const C extends string>(choices: readonly C[], words: object): Schema<C | ""> =>
  choice([...choices, ""], { default: "", ...words });

/** A list of words, empty by default. */
export const wordList = (words: object): Schema<readonly string[]> => listOf(text(), { default: [], ...words });

const RULE = "permission-rule";

export const ruleList = (words: object): Schema<readonly string[]> =>
  listOf(text({ format: RULE }), { default: [], ...words });

const folder = text({ format: "absolute-folder" });
const folders = oneOf(folder, listOf(folder, { minItems: 1 }));
const words = oneOf(text(), listOf(text()));

export const FOLDER_NAMES = ["path", "paths", "pathPrefix", "pathPrefixes"] as const;
export const VALUE_NAMES = ["models", "providers", "values"] as const;

const scopedEntry = object(
  Object.fromEntries([
    ...FOLDER_NAMES.map((name) => [name, optional(folders)]),
    ...VALUE_NAMES.map((name) => [name, optional(words)]),
  ]),
);

/** A list of words, each for every folder or only for some; `settingsIn` turns it into plain words. */
export const scopedList = (words: object): Schema<readonly string[]> =>
  listOf(oneOf(text(), scopedEntry) as Schema<string>, { default: [], ...words });

export type SettingKind =
  | "string"
  | "address"
  | "integer"
  | "number"
  | "boolean"
  | "choice"
  | "words"
  | "rules"
  | "scoped"
  | "map";

export function kindOf(schema: Schema): SettingKind {
  const { type, anyOf, enum: values, format, items } = schema;
  if (values !== undefined) return "choice";
  if (format === "http-address") return "address";
  if (type === "object") return "map";
  if (type !== "array") return ((type ?? (anyOf as Schema[])[0]?.["type"]) as SettingKind | undefined) ?? "string";
  const item = items as Schema;
  if (item["anyOf"] !== undefined) return "scoped";
  return item["format"] === RULE ? "rules" : "words";
}

/** The possible values; undefined if any value is allowed. */
export function choicesOf({ enum: values }: Schema): readonly string[] | undefined {
  return (values as readonly string[] | undefined)?.filter((value) => value !== "");
}
