// Where a name is defined. An import through a re-export is resolved to the defining file: otherwise, through an index,
// every file of a package would be needed wherever one of them is used.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { applyEdits, parseCode } from "./parse.mjs";

/** Exports by file; each file is parsed once per build. */
const exportsByFile = new Map();

/**
 * The source with every import and re-export taken from the defining files, by name.
 * @param indexes index file by import specifier, such as `@lathe/agent`
 */
export function withDirectImports(source, path, indexes) {
  const parsed = parseCode(path, source);
  const { module } = parsed;
  const fileOf = (specifier) =>
    indexes[specifier] ?? (specifier.startsWith(".") ? join(dirname(path), specifier) : undefined);
  const imports = module.staticImports.flatMap(({ start, end, moduleRequest, entries }) => {
    const file = fileOf(moduleRequest.value);
    const isNamed = entries.every(({ importName }) => importName.kind === "Name");
    if (!file?.endsWith(".ts") || !isNamed || entries.length === 0) return [];
    const names = entries
      .filter(({ isType }) => !isType)
      .map(({ importName, localName }) => ({ name: importName.name, as: localName.value }));
    return [{ start, end, text: statements("import", file, names) }];
  });
  const passesOn = module.staticExports.some(({ entries }) => entries.some(({ moduleRequest }) => moduleRequest));
  const passedOn = (passesOn ? parsed.program.body : []).flatMap((node) => {
    if (!node.type.startsWith("Export") || !node.source?.value.startsWith(".")) return [];
    const file = join(dirname(path), node.source.value);
    return [{ start: node.start, end: node.end, text: statements("export", file, passedNames(node, file)) }];
  });
  return applyEdits(source, [...imports, ...passedOn]);
}

const statements = (word, file, names) =>
  names
    .map(({ name, as }) => {
      const at = definitionOf(file, name) ?? { file, name };
      return `${word} { ${at.name} as ${as} } from ${JSON.stringify(at.file)};`;
    })
    .join(" ");

function passedNames({ type, exportKind, exported, specifiers }, file) {
  if (exportKind === "type") return [];
  if (type === "ExportNamedDeclaration")
    return specifiers
      .filter((one) => one.exportKind !== "type")
      .map((one) => ({ name: one.local.name, as: one.exported.name }));
  if (type === "ExportAllDeclaration" && !exported) return valuesOf(file).map((name) => ({ name, as: name }));
  throw new Error(`${file} is passed on in a way that the bundler does not know.`);
}

/** Names that a file exports and that exist at run time. */
function valuesOf(file) {
  const { own, passedOn, all } = exportsOf(file);
  return [...own, ...passedOn.keys(), ...all.flatMap(valuesOf)];
}

/** Resolves a name through any number of indexes. */
function definitionOf(file, name) {
  const { own, passedOn, all } = exportsOf(file);
  if (own.has(name)) return { file, name };
  const behind = passedOn.get(name);
  if (behind) return definitionOf(behind.file, behind.name);
  for (const other of all) {
    const found = definitionOf(other, name);
    if (found) return found;
  }
  return undefined;
}

/** Values only: `own` names, names `passedOn` from a file, and files of which `all` names are passed on. */
function exportsOf(file) {
  const known = exportsByFile.get(file) ?? readExports(file);
  exportsByFile.set(file, known);
  return known;
}

function readExports(file) {
  const { module } = parseCode(file, readFileSync(file, "utf8"));
  const found = { own: new Set(), passedOn: new Map(), all: [] };
  for (const { moduleRequest, importName, exportName, isType } of module.staticExports.flatMap(
    ({ entries }) => entries,
  )) {
    const isOurs = moduleRequest?.value.startsWith(".");
    if (isType || (moduleRequest && !isOurs)) continue;
    const from = isOurs && join(dirname(file), moduleRequest.value);
    if (!from) found.own.add(exportName.name);
    else if (importName.kind === "AllButDefault") found.all.push(from);
    else found.passedOn.set(exportName.name, { file: from, name: importName.name });
  }
  return found;
}
