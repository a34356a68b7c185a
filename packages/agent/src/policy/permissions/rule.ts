// Rules about calls, as users write them: `tool(pattern)`. Parsing reports an error in one line. We also understand
// rules from other agents' settings. Matching is in match.ts.

import { patternWords } from "../shell/match.ts";

/** What a rule, a mode or the user decides about something that a call would do. */
export type Decision = "allow" | "ask" | "deny";

/** A rule that parsed correctly. */
export interface RuleText {
  /** The rule in our own format. */
  readonly text: string;
  /**
   * `shell`, a tier (`read`, `write`, `exec`, `network`), or the name of a tool; with a trailing `*`, the prefix of
   * many names.
   */
  readonly subject: string;
  /** Absent for everything the subject does. */
  readonly pattern?: string;
}

/** A rule in effect. */
export interface Rule extends RuleText {
  readonly decision: Decision;
  /** Where the rule is defined, for display: a file, `--allow`, `remembered`. */
  readonly origin: string;
  /** The rule was made for a project: it applies only to commands that are known to run inside the roots. */
  readonly insideOnly?: true;
}

/** Names of other agents' tools, and our tools for the same work. */
const SUBJECTS: Readonly<Record<string, string>> = {
  Bash: "shell",
  bash: "shell",
  Read: "read",
  Glob: "read",
  Grep: "read",
  LS: "read",
  Edit: "write",
  MultiEdit: "write",
  NotebookEdit: "write",
  Write: "write",
  edit: "write",
  WebFetch: "network",
  WebSearch: "web_search",
};

/** Other agents name an MCP server to mean all of its tools. */
const WHOLE_SERVER = /^mcp__(?:(?!__)[\w.-])+$/;

/** How to write a rule, for error messages. */
export const EXAMPLE = "Write it as tool(pattern), for example shell(git log *), write(src/**) or network(example.com)";

const FORM = /^\s*([A-Za-z_][\w.-]*\*?)\s*(?:\(([\s\S]*)\))?\s*$/;

/** The rule, or what is wrong with it. */
export function readRule(written: string): RuleText | { readonly problem: string } {
  const [, name, inside] = FORM.exec(written) ?? [];
  if (name === undefined) return { problem: wrongForm(written) };
  const subject = Object.hasOwn(SUBJECTS, name) ? (SUBJECTS[name] as string) : name.replace(WHOLE_SERVER, "$&__*");
  if (inside === undefined) return { text: subject, subject };
  const foreign = Object.hasOwn(SUBJECTS, name) && /^[A-Z]/.test(name);
  const pattern = (foreign ? importedPattern(subject, inside) : inside).trim();
  const problem = wrongPattern(subject, pattern);
  if (problem !== undefined) return { problem };
  return isEverything(subject, pattern)
    ? { text: subject, subject }
    : { text: `${subject}(${pattern})`, subject, pattern };
}

/** `Bash(git log:*)`, `Read(//etc/hosts)`, `Edit(/src/**)`, `WebFetch(domain:example.com)` in our format. */
function importedPattern(subject: string, pattern: string): string {
  if (subject === "shell") return pattern.replace(/:\*$/, " *");
  if (subject === "network") return pattern.replace(/^domain:/, "");
  // There, two slashes mean the root of the disk, one slash the root of the project.
  return pattern.startsWith("//") ? pattern.slice(1) : pattern.replace(/^\.?\//, "");
}

const isEverything = (subject: string, pattern: string): boolean => isCommand(subject) && pattern === "*";

const isCommand = (subject: string): boolean => subject === "shell" || subject === "exec";

function wrongForm(written: string): string {
  if (written.trim() === "") return "is empty";
  if (written.includes("(") && !written.trimEnd().endsWith(")")) return 'has no ")" at its end';
  return "is not a rule";
}

function wrongPattern(subject: string, pattern: string): string | undefined {
  if (pattern === "") return "has nothing between its parentheses; leave them out to mean every call";
  if (isCommand(subject)) return wrongWords(patternWords(pattern));
  if (subject === "network" && !/^(\*\.)?[\w.:[\]-]+$/.test(pattern))
    return "must name a host, such as example.com or *.example.com";
  if (subject !== "read" && subject !== "write") return undefined;
  if (pattern.startsWith("!")) return "cannot exclude with !; write a separate rule that denies it";
  return pattern.split("/").includes("..") ? "must not contain .." : undefined;
}

function wrongWords(words: readonly string[]): string | undefined {
  if (words.length === 0) return "names no command";
  return words.length > 1 && words[0]?.includes("*") ? "must begin with the name of a program" : undefined;
}
