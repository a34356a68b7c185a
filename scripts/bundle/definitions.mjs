// Where a name is defined. An import of a name that a file only passes on means the file behind it: through an index, every
// file of a package would belong wherever one of them is used.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Files are read once a build. */
const sources = new Map();

const IMPORT = /^import (type )?\{([^}]*)\} from "([^"]+)";$/gm;

/**
 * The source with every import pointed at the defining files.
 * @param indexes index file by import specifier, such as `@lathe/agent`
 */
export function withDirectImports(source, path, indexes) {
  return source.replace(IMPORT, (statement, typesOnly, list, specifier) => {
    const file = indexes[specifier] ?? (specifier.startsWith(".") ? join(dirname(path), specifier) : undefined);
    if (typesOnly || !file?.endsWith(".ts")) return statement;
    return namesOf(list)
      .filter(({ isType }) => !isType)
      .map(({ name, local }) => {
        const at = definition(file, name) ?? { file, name };
        return `import { ${at.name} as ${local} } from ${JSON.stringify(at.file)};`;
      })
      .join(" ");
  });
}

/** The source of an index with everything it passes on taken from the defining files, by name. */
export function withDirectExports(source, path) {
  return source.replace(/^export (\*|\{[^}]*\}) from "(\.[^"]+)";$/gm, (_, list, specifier) => {
    const file = join(dirname(path), specifier);
    const names = list === "*" ? valuesOf(file).map((name) => ({ name, local: name })) : namesOf(list.slice(1, -1));
    return names
      .filter(({ isType }) => !isType)
      .map(({ name, local }) => {
        const at = definition(file, name) ?? { file, name };
        return `export { ${at.name} as ${local} } from ${JSON.stringify(at.file)};`;
      })
      .join(" ");
  });
}

/** Names that a file exports and that are there when it runs. */
function valuesOf(file) {
  const source = sourceOf(file);
  const own = [...source.matchAll(/^export (?:async )?(?:abstract )?(?:function\*?|class|const) (\w+)/gm)];
  const passedOn = [...source.matchAll(/^export \{([^}]*)\} from "[^"]+";$/gm)].flatMap(([, list]) => namesOf(list));
  const all = [...source.matchAll(/^export \* from "(\.[^"]+)";$/gm)];
  return [
    ...own.map(([, name]) => name),
    ...passedOn.filter(({ isType }) => !isType).map(({ local }) => local),
    ...all.flatMap(([, from]) => valuesOf(join(dirname(file), from))),
  ];
}

function sourceOf(file) {
  if (!sources.has(file)) sources.set(file, readFileSync(file, "utf8"));
  return sources.get(file);
}

/** Followed through as many indexes as there are. */
function definition(file, name) {
  const source = sourceOf(file);
  const own = new RegExp(`^export (?:async )?(?:abstract )?(?:function\\*?|class|const) ${name}\\b`, "m");
  if (own.test(source)) return { file, name };
  for (const [, list, from] of source.matchAll(/^export \{([^}]*)\} from "(\.[^"]+)";$/gm)) {
    const wanted = namesOf(list).find((entry) => entry.local === name);
    if (wanted) return definition(join(dirname(file), from), wanted.name);
  }
  for (const [, from] of source.matchAll(/^export \* from "(\.[^"]+)";$/gm)) {
    const found = definition(join(dirname(file), from), name);
    if (found) return found;
  }
  return undefined;
}

function namesOf(list) {
  return list
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "")
    .map((item) => {
      const [, type, name, local] = /^(type )?(\S+)(?: as (\S+))?$/.exec(item);
      return { isType: type !== undefined, name, local: local ?? name };
    });
}
