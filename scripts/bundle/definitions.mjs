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

/** Followed through as many indexes as there are. */
function definition(file, name) {
  if (!sources.has(file)) sources.set(file, readFileSync(file, "utf8"));
  const source = sources.get(file);
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
