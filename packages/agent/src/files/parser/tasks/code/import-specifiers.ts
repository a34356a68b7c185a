// Imports of all languages in one form: parts with `/` between them, beginning with a dot if they are relative to the
// file.

import { posix } from "node:path";

/** What the text of an import refers to. */
export function importSpecifiers(grammar: string, text: string): string[] {
  switch (grammar) {
    case "python":
      return pythonModules(text);
    case "rust":
      return rustPaths(text);
    case "java":
      return [text.replaceAll(".", "/")];
    case "php":
      return [text.replaceAll("\\", "/").replace(/^\/(?=\w)/, "./")];
    case "ruby":
    case "cpp":
    case "bash":
    case "css":
      // In these languages it always refers to a file, usually near the importing one.
      return [text.replace(/^(?:url\()?["'<]?|["'>]?\)?$/g, "")];
    default:
      return [text.replace(/^["'`]|["'`]$/g, "")];
  }
}

/** `from .a import b` refers to the module and perhaps to a submodule. */
function pythonModules(text: string): string[] {
  const from = /^from\s+(\.*)([\w.]*)\s+import\s+\(?([\s\S]*?)\)?$/.exec(text);
  if (from) {
    const [, dots = "", name = "", names = ""] = from;
    const base = [...relativeTo(dots), ...name.split(".")].filter((part) => part !== "").join("/");
    const inside = names.split(",").map((one) => one.trim().split(/\s/)[0] ?? "");
    return [base, ...inside.filter((one) => /^\w+$/.test(one)).map((one) => `${base}/${one}`)];
  }
  const modules = text.replace(/^import\s+/, "").split(",");
  return modules.map((one) => (one.trim().split(/\s/)[0] ?? "").replaceAll(".", "/")).filter((one) => one !== "");
}

const relativeTo = ({ length }: string): string[] =>
  length === 0 ? [] : length === 1 ? ["."] : new Array<string>(length - 1).fill("..");

/** The last part is often a name in the module before it. */
function rustPaths(text: string): string[] {
  const module = /^(?:pub(?:\([^)]*\))?\s+)?mod\s+(\w+)/.exec(text);
  if (module) return [`./${module[1]}`];
  const parts = (text.split(/[{*]|\sas\s/)[0] ?? "").split("::").map((part) => part.trim());
  const own = parts.filter((part) => part !== "" && part !== "crate");
  const relative = own.map((part) => (part === "self" ? "." : part === "super" ? ".." : part));
  return [relative.join("/"), relative.slice(0, -1).join("/")].filter((path) => /\w/.test(path));
}

/** Names for a package's files: its name, and the name with the keys of its `exports`. */
export function packageAliases(path: string, text: string): [string, string][] {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return [];
  }
  const { name, exports, main } = (read ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof name !== "string") return [];
  const folder = posix.dirname(path);
  const keyed = typeof exports === "object" && exports !== null ? Object.entries(exports) : [];
  const hasKeys = keyed.some(([key]) => key.startsWith("."));
  const targets = hasKeys ? keyed : ([[".", exports ?? main ?? "./index"]] as const);
  return targets.flatMap(([key, target]) =>
    stringsIn(target).map((file): [string, string] => [posix.join(name, key), posix.join(folder, file)]),
  );
}

const DEEPEST = 5;

function stringsIn(value: unknown, depth = 0): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null || depth > DEEPEST) return [];
  return Object.values(value).flatMap((one) => stringsIn(one, depth + 1));
}
