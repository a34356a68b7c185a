// The frontmatter of a markdown file (G-94): YAML between a `---` at the very beginning and the next. What is not valid YAML is
// read line by line, so that a mistake in one value does not lose the file.

import { isJsonObject } from "@lathe/llm";
import { isProblem, readYaml } from "../../platform/home/yaml.ts";

export type Frontmatter = Readonly<Record<string, unknown>>;

export interface ParsedMarkdown {
  readonly frontmatter: Frontmatter;
  /** Trimmed. */
  readonly body: string;
  /** What is wrong with the frontmatter, and in which line of the file. */
  readonly problem?: { readonly line: number; readonly message: string };
}

const BLOCK = /^\uFEFF?---[ \t]*\r?\n(?:([\s\S]*?)\r?\n)?---[ \t]*(?:\r?\n|$)/;
/** `globs: *.ts` as other agents write it: YAML takes the star for a sign of its own. */
const UNQUOTED = /^(\w+:[ \t]+)([*@][^\r\n"]*?)(?=[ \t]*\r?$)/gm;
const ENTRY = /^(\w+):\s*(.*)$/;

export function parseMarkdown(text: string): ParsedMarkdown {
  const [block, yaml = ""] = BLOCK.exec(text) ?? [];
  if (block === undefined) return { frontmatter: {}, body: text.replace(/^\uFEFF/, "").trim() };
  const body = text.slice(block.length).trim();
  const quoted = yaml.replaceAll(UNQUOTED, (_line, key: string, value: string) => `${key}${JSON.stringify(value)}`);
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

/** Strings only: a caller that wants `true` does not accept "true". */
function plainLines(yaml: string): Frontmatter {
  return Object.fromEntries(
    yaml.split(/\r?\n/).flatMap((line) => {
      const [, key, value = ""] = ENTRY.exec(line) ?? [];
      return key === undefined ? [] : [[key, value.trim()]];
    }),
  );
}
