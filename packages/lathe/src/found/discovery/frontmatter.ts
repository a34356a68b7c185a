// The frontmatter of a markdown file (G-94): YAML between a `---` at the very beginning and the next. Most files have
// only plain `key: value` lines, which are parsed here, because loading the YAML reader takes longer than reading all
// of a user's files. Invalid YAML is read line by line, so that a mistake in one value does not lose the file.

import { isJsonObject } from "@lathe/llm";
import { isProblem, readYaml } from "../../platform/home/yaml.ts";

export type Frontmatter = Readonly<Record<string, unknown>>;

export interface ParsedMarkdown {
  readonly frontmatter: Frontmatter;
  /** Trimmed. */
  readonly body: string;
  /** The problem with the frontmatter, and its line in the file. */
  readonly problem?: { readonly line: number; readonly message: string };
}

const BLOCK = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/;
/** `globs: *.ts` as other agents write it; in YAML an unquoted star would begin an alias. */
const UNQUOTED = /^(\w+:[ \t]+)([*@][^\r\n"]*?)(?=[ \t]*\r?$)/gm;
const ENTRY = /^(\w+):\s*(.*)$/;

export function parseMarkdown(text: string): ParsedMarkdown {
  const [block, yaml = ""] = BLOCK.exec(text) ?? [];
  if (block === undefined) return { frontmatter: {}, body: text.replace(/^\uFEFF/, "").trim() };
  const body = text.slice(block.length).trim();
  const quoted = yaml.replaceAll(UNQUOTED, (_line, key: string, value: string) => `${key}${JSON.stringify(value)}`);
  const plain = readPlainEntries(quoted);
  if (plain) return { frontmatter: plain, body };
  const read = readYaml(quoted);
  if (isProblem(read)) {
    const problem = {
      line: read.line + 1,
      message: `the frontmatter is ${read.message}; only its plain lines are used`,
    };
    return { frontmatter: plainLines(yaml), body, problem };
  }
  if (read.value === null || read.value === undefined) return { frontmatter: {}, body };
  if (isJsonObject(read.value)) return { frontmatter: read.value, body };
  return { frontmatter: {}, body, problem: { line: 2, message: "the frontmatter is not a list of `key: value`" } };
}

const PLAIN_TEXT = /^[\n\r -~\u00a1-\u2027\u202a-\ufefe\uff00-\uffef]*$/;
/**
 * A key, then a value in quotes without escapes, or one that begins with a letter. A colon before a space, or a `#`
 * after one, needs the YAML reader.
 */
const PLAIN_ENTRY = /^([A-Za-z][\w-]{0,99}): +(?:"([^"\\]*)"|'([^']*)'|([A-Za-z](?!.*(?::(?: |$)| #)).*?)) *$/;
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);
const NO_STRING = /^(?:true|false|null)$/i;

/** Returns the same as the YAML reader for text of this kind; undefined for all other text. */
export function readPlainEntries(yaml: string): Frontmatter | undefined {
  if (!PLAIN_TEXT.test(yaml)) return undefined;
  const entries = new Map<string, string | boolean>();
  for (const line of yaml.split(/\r?\n/)) {
    if (line === "") continue;
    const [, key, double, single, plain = ""] = PLAIN_ENTRY.exec(line) ?? [];
    const value = BOOLEANS.get(plain) ?? plain;
    if (key === undefined || entries.has(key) || NO_STRING.test(key)) return undefined;
    if (typeof value === "string" && NO_STRING.test(value)) return undefined;
    entries.set(key, double ?? single ?? value);
  }
  return Object.fromEntries(entries);
}

/** All values are strings: a caller that wants `true` does not accept "true". */
function plainLines(yaml: string): Frontmatter {
  return Object.fromEntries(
    yaml.split(/\r?\n/).flatMap((line) => {
      const [, key, value = ""] = ENTRY.exec(line) ?? [];
      return key === undefined ? [] : [[key, value.trim()]];
    }),
  );
}
