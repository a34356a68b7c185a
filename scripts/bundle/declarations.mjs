// The declarations of a package that contains the code of our other packages: those that its entries reach, each import
// of another package replaced by one of a copy inside. So nothing else of ours has to be installed for its types.
import { readFileSync } from "node:fs";
import { dirname, relative, sep } from "node:path";
import { exportsOf, namesOf, resolveDeclaration } from "../check/exports.mjs";

/** Below this folder are the copies. */
const COPIES = "packages";

/**
 * What stands for packages of others whose types no program can meet through the product: their real declarations would
 * add megabytes. The tools of its hosts have schemas as plain data.
 */
const STAND_INS = {
  typebox:
    "export interface TSchema {\n}\nexport type Static<S extends TSchema> = S extends TSchema ? unknown : never;\n",
};

/**
 * @param types the folder with the declarations of every package in `<package>/src`
 * @param own the package's folder there
 * @param manifest its package.json
 * @param indexes the declaration file of each specifier under which one of our packages can be imported
 * @returns the text of each declaration file, by its path in the package's library
 */
export function ownDeclarations({ types, own, manifest, indexes }) {
  const placeOf = (file) => {
    const [folder, , ...path] = relative(types, file).split(sep);
    return folder === own ? path.join("/") : [COPIES, folder, ...path].join("/");
  };
  const standInFor = (specifier) => `${COPIES}/${specifier}.d.ts`;
  const isEntry = (specifier) => specifier === manifest.name || specifier.startsWith(`${manifest.name}/`);
  const waiting = Object.keys(indexes).flatMap((specifier) => (isEntry(specifier) ? [indexes[specifier]] : []));
  const found = new Map();
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (found.has(placeOf(file))) continue;
    // The file that declares a name, not the index that exports it: an index would bring the rest of its package.
    const find = (specifier, name) => {
      if (STAND_INS[specifier] !== undefined)
        return { name, from: relativeSpecifier(placeOf(file), standInFor(specifier)) };
      const one = exportsOf(indexes[specifier]).get(name);
      if (one === undefined) throw new Error(`${file}: ${specifier} does not export ${name}`);
      waiting.push(one.file);
      return { name: one.name, from: relativeSpecifier(placeOf(file), placeOf(one.file)) };
    };
    const source = readFileSync(file, "utf8");
    for (const specifier of specifiersIn(source)) {
      if (specifier.startsWith(".")) waiting.push(resolveDeclaration(file, specifier));
      else if (STAND_INS[specifier] !== undefined) found.set(standInFor(specifier), STAND_INS[specifier]);
      else if (indexes[specifier] === undefined && !isInstalled(specifier, manifest))
        throw new Error(
          `${file}: the declarations of ${manifest.name} need ${specifier}, which is no dependency of it`,
        );
    }
    const isCopied = (specifier) => indexes[specifier] !== undefined || STAND_INS[specifier] !== undefined;
    const text = withCopies(source, find, isCopied);
    const left = specifiersIn(text).find(isCopied);
    if (left !== undefined) throw new Error(`${file}: an import of ${left} in a form that cannot be replaced`);
    found.set(placeOf(file), text);
  }
  return found;
}

/** The built-in modules come with `@types/node`, which programs in TypeScript have. */
function isInstalled(specifier, { dependencies = {} }) {
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  return specifier.startsWith("node:") || dependencies[name] !== undefined;
}

function specifiersIn(source) {
  const code = source.replace(/^\s*\/\*[\s\S]*?\*\//gm, "");
  const found = code.matchAll(/\b(?:from |import |import\(|declare module )(["'])([^"'\n]+)\1/g);
  return [...found].map(([, , specifier]) => specifier);
}

function withCopies(source, find, isCopied) {
  return source
    .replace(
      /^(import|export) (type )?\{([^}]*)\} from ["']([^"'\n]+)["'];/gm,
      (statement, keyword, type = "", list, specifier) => {
        if (!isCopied(specifier)) return statement;
        const byFile = new Map();
        for (const { name, local, isType } of namesOf(list)) {
          const { name: declared, from } = find(specifier, name);
          const one = `${isType ? "type " : ""}${declared === local ? declared : `${declared} as ${local}`}`;
          byFile.set(from, [...(byFile.get(from) ?? []), one]);
        }
        return [...byFile].map(([from, some]) => `${keyword} ${type}{ ${some.join(", ")} } from "${from}";`).join("\n");
      },
    )
    .replace(/\bimport\(["']([^"'\n]+)["']\)\.(\w+)/g, (expression, specifier, name) => {
      if (!isCopied(specifier)) return expression;
      const { name: declared, from } = find(specifier, name);
      return `import("${from}").${declared}`;
    });
}

function relativeSpecifier(from, to) {
  const path = relative(dirname(from), to)
    .split(sep)
    .join("/")
    .replace(/\.d\.ts$/, ".ts");
  return path.startsWith(".") ? path : `./${path}`;
}
