// Ignore files as git and ripgrep read them: the deepest file takes precedence, and in a file the last matching line.

interface Rule {
  readonly negated: boolean;
  readonly directoryOnly: boolean;
  /** Matched against the path relative to the rule's directory. */
  readonly regex: RegExp;
}

/** The rules of one kind of ignore file in a directory and its parents. */
export class IgnoreRules {
  readonly #directory: string;
  readonly #rules: readonly Rule[];
  readonly #parent: IgnoreRules | undefined;

  private constructor(directory: string, rules: readonly Rule[], parent: IgnoreRules | undefined) {
    this.#directory = directory.endsWith("/") ? directory : `${directory}/`;
    this.#rules = rules;
    this.#parent = parent;
  }

  /** The rules for the content of `directory`: those in the file's text, then those of the parent directories. */
  static extend(parent: IgnoreRules | undefined, directory: string, text: string): IgnoreRules | undefined {
    const rules = parseRules(text);
    return rules.length === 0 ? parent : new IgnoreRules(directory, rules, parent);
  }

  /** Undefined if no rule matches the path. */
  ignores(path: string, isDirectory: boolean): boolean | undefined {
    const relative = path.slice(this.#directory.length);
    for (let i = this.#rules.length - 1; i >= 0; i--) {
      const rule = this.#rules[i]!;
      if (rule.directoryOnly && !isDirectory) continue;
      if (rule.regex.test(relative)) return !rule.negated;
    }
    return this.#parent?.ignores(path, isDirectory);
  }
}

function parseRules(text: string): Rule[] {
  const rules: Rule[] = [];
  for (const raw of text.replace(/^\uFEFF/, "").split(/\r?\n/)) {
    const rule = parseLine(raw);
    if (rule !== undefined) rules.push(rule);
  }
  return rules;
}

function parseLine(raw: string): Rule | undefined {
  if (raw.startsWith("#")) return undefined;
  let line = raw.replace(/(?<!\\)((?:\\\\)*)\s+$/, "$1");
  const negated = line.startsWith("!");
  if (negated) line = line.slice(1);
  const directoryOnly = line.endsWith("/");
  if (directoryOnly) line = line.slice(0, -1);
  if (line === "") return undefined;
  const anchored = line.includes("/");
  const source = globSource(line.replace(/^\//, ""));
  return { negated, directoryOnly, regex: new RegExp(`^${anchored ? "" : "(?:.*/)?"}${source}$`, "s") };
}

/** Source of a regular expression for one glob of an ignore file. */
export function globSource(glob: string): string {
  let out = "";
  for (let i = 0; i < glob.length; i++) {
    const char = glob[i]!;
    if (char === "*" && glob[i + 1] === "*") {
      const atStart = i === 0 || glob[i - 1] === "/";
      const after = glob[i + 2];
      if (atStart && after === "/") {
        out += "(?:.*/)?";
        i += 2;
      } else if (atStart && after === undefined) {
        out += ".*";
        i += 1;
      } else {
        while (glob[i + 1] === "*") i++;
        out += "[^/]*";
      }
    } else if (char === "*") out += "[^/]*";
    else if (char === "?") out += "[^/]";
    else if (char === "[") {
      const end = classEnd(glob, i);
      if (end === -1) out += "\\[";
      else {
        const body = glob
          .slice(i + 1, end)
          .replace(/^!/, "^")
          .replace(/[[\]]/g, "\\$&");
        out += `[${body}]`;
        i = end;
      }
    } else {
      const literal = char === "\\" && i + 1 < glob.length ? glob[++i]! : char;
      out += literal.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
    }
  }
  return out;
}

function classEnd(glob: string, start: number): number {
  const first = /^\[[!^]?\]?/.exec(glob.slice(start))![0].length;
  return glob.indexOf("]", start + first);
}
