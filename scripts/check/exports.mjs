// Checks the exports of the packages by their declarations: every type that an exported signature uses is exported,
// every export has a comment, options may be undefined, and no name has two meanings.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The libraries for host programs. */
const PACKAGES = { llm: "@lathe/llm", agent: "@lathe/agent", lathe: "lathe" };

/** @param areMade whether a build has just written the declarations */
export function checkExports(root, { areMade = false } = {}) {
  const types = join(root, ".cache", "types");
  const tsc = join(root, "node_modules/typescript/bin/tsc");
  const made = areMade
    ? { status: 0 }
    : spawnSync(process.execPath, [tsc, "-p", join(root, "tsconfig.build.json")], { cwd: root, encoding: "utf8" });
  if (made.status !== 0) return [`${made.stdout}${made.stderr}`.trimEnd()];
  const entries = {};
  for (const [folder, name] of Object.entries(PACKAGES)) {
    const manifest = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8"));
    entries[name] = Object.values(manifest.exports)
      .map((target) => join(types, folder, target["lathe-source"].replace(/\.ts$/, ".d.ts")))
      .filter(existsSync);
  }
  const problems = Object.entries(entries).flatMap(([name, files]) =>
    exportProblems(files).map((problem) => `${name}: ${problem}`),
  );
  return [...problems, ...nameProblems(entries)].map((problem) => problem.replaceAll(join(types, "/"), ""));
}

/**
 * Names that two packages export with different meanings.
 * @param packages declaration files by package
 */
export function nameProblems(packages) {
  const meanings = new Map();
  for (const [where, entries] of Object.entries(packages))
    for (const entry of entries)
      for (const [name, { file, name: declared }] of exportsOf(entry)) {
        const known = meanings.get(name) ?? new Map();
        meanings.set(name, known.set(`${file} ${declared}`, where));
      }
  return [...meanings]
    .filter(([, known]) => known.size > 1)
    .map(([name, known]) => `${name} means different things in ${[...known.values()].join(" and ")}`);
}

/** @param entries declaration files of one package */
export function exportProblems(entries) {
  const declared = new Map();
  for (const entry of entries)
    for (const one of exportsOf(entry).values()) declared.set(`${one.file} ${one.name}`, one);
  const problems = [];
  const checkNames = (file, name, text) => {
    for (const used of namesIn(text)) {
      const origin = used === name ? undefined : originOf(file, used);
      if (origin !== undefined && !declared.has(`${origin.file} ${origin.name}`))
        problems.push(`${name} names ${used}, which is not exported (${file})`);
    }
  };
  for (const { file, name, text, comment } of declared.values()) {
    if (!comment) problems.push(`${name} has no comment that says what it is (${file})`);
    checkNames(file, name, text);
    for (const option of strictOptions(name, text))
      problems.push(`${name}.${option} does not accept undefined (${file})`);
  }
  for (const file of readdirSync(dirname(entries[0]), { recursive: true }).map((name) =>
    join(dirname(entries[0]), name),
  ))
    for (const { target, name, text } of file.endsWith(".d.ts") ? additionsIn(file) : [])
      if (declared.has(`${target} ${name}`)) checkNames(file, name, text);
  return problems;
}

/** Members of an options interface that a host cannot set to undefined under exactOptionalPropertyTypes. */
function strictOptions(name, text) {
  if (!/(Options|Config|Spec)$/.test(name)) return [];
  const members = text.matchAll(/^ {4}(?:readonly )?(\w+)\?: ([\s\S]*?);\n(?= {4}[\w/]|\})/gm);
  return [...members].flatMap(([, member, type]) => (/\bundefined$/.test(type) ? [] : [member]));
}

/** What a file adds to interfaces of other files. */
function additionsIn(file) {
  const blocks = readFileSync(file, "utf8").matchAll(/^declare module ['"](\.[^'"]+)['"] \{\n([\s\S]*?)^\}/gm);
  return [...blocks].map(([, from, text]) => ({
    target: resolveDeclaration(file, from),
    name: /\binterface (\w+)/.exec(text)?.[1],
    text,
  }));
}

const modules = new Map();

/** Declarations, imports and re-exports of a declaration file. */
function moduleOf(file) {
  const known = modules.get(file);
  if (known) return known;
  const source = readFileSync(file, "utf8");
  const local = new Map();
  const start = /^(export )?(?:declare )?(?:abstract )?(interface|type|function|class|const|let) (\w+)/gm;
  for (const match of source.matchAll(start)) {
    const [, exported, , name] = match;
    const before = local.get(name);
    const text = `${before?.text ?? ""}\n${declarationAt(source, match.index)}`;
    const comment = before?.comment || /\*\/\s*$/.test(source.slice(0, match.index));
    local.set(name, { file, name, text, comment, exported: exported !== undefined });
  }
  const imports = new Map();
  for (const [, list, from] of source.matchAll(/^import (?:type )?\{([^}]*)\} from ['"](\.[^'"]+)['"];/gm))
    for (const { name, local: as } of namesOf(list)) imports.set(as, { file: resolveDeclaration(file, from), name });
  for (const [, from, name] of source.matchAll(/\bimport\(['"](\.[^'"]+)['"]\)\.(\w+)/g))
    imports.set(name, { file: resolveDeclaration(file, from), name });
  const made = { source, local, imports };
  modules.set(file, made);
  return made;
}

/** Up to the end of the declaration: the closing brace of its body, or a semicolon outside all brackets. */
function declarationAt(source, from) {
  let depth = 0;
  for (let at = from; at < source.length; at++) {
    const character = source[at];
    if (character === "/" && source[at + 1] === "*") at = source.indexOf("*/", at) + 1;
    else if (character === '"' || character === "'") at = source.indexOf(character, at + 1);
    else if ("{[(".includes(character)) depth++;
    else if ("}])".includes(character)) {
      depth--;
      if (depth === 0 && character === "}" && /^[^\n]*?\b(interface|class)\b/.test(source.slice(from, from + 200)))
        return source.slice(from, at + 1);
    } else if (character === ";" && depth === 0) return source.slice(from, at + 1);
  }
  return source.slice(from);
}

/** Every export of a file by name, resolved to its declaration. */
export function exportsOf(file) {
  const { source, local } = moduleOf(file);
  const found = new Map();
  for (const one of local.values()) if (one.exported) found.set(one.name, one);
  for (const [, list, from] of source.matchAll(/^export (?:type )?\{([^}]*)\}(?: from ['"](\.[^'"]+)['"])?;/gm))
    for (const { name, local: as } of namesOf(list)) {
      const one = from === undefined ? local.get(name) : exportsOf(resolveDeclaration(file, from)).get(name);
      if (one) found.set(as, one);
    }
  for (const [, from] of source.matchAll(/^export (?:type )?\* from ['"](\.[^'"]+)['"];/gm))
    for (const [name, one] of exportsOf(resolveDeclaration(file, from))) found.set(name, one);
  return found;
}

/** Where a name used by a declaration in the file comes from; undefined for globals, parameters and other packages. */
function originOf(file, name) {
  const { local, imports } = moduleOf(file);
  if (local.has(name)) return local.get(name);
  const imported = imports.get(name);
  return imported && exportsOf(imported.file).get(imported.name);
}

/** These compute a type from a table in the code. Compilers and editors show the result; a host need not name them. */
const TABLE_OPERATORS = new Set(["TypeOf", "FieldsOf"]);

/** Names of types and values in a declaration, without comments, strings and private members. */
function namesIn(text) {
  const plain = text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/\bimport\(['"][^'"]*['"]\)\./g, "")
    .replace(/"[^"\n]*"|'[^'\n]*'/g, '""')
    .replace(/\btypeof \w+/g, "")
    .replace(/^\s*(?:private|#)[^;]*;/gm, "");
  const names = [...plain.matchAll(/(?<![.\w$])[A-Z]\w*/g)].map(([name]) => name);
  return new Set(names.filter((name) => !TABLE_OPERATORS.has(name)));
}

/** The names in the braces of an import or export. */
export function namesOf(list) {
  return list
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")
    .map((item) => {
      const [name, local = name] = item.replace(/^type /, "").split(/ as /);
      return { name, local, isType: item.startsWith("type ") };
    });
}

export function resolveDeclaration(from, specifier) {
  return join(dirname(from), specifier.replace(/\.[jt]s$/, ".d.ts"));
}
