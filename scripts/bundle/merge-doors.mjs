// Merges what the main entry points of a library load into one file. Bundling for many entry points splits the code
// into a hundred small files, and node takes longer to find, read and link them than to compile their content (decision
// 0298).

import { writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build } from "esbuild";

const MERGED = "merged.js";
const LONGEST_LINE = 160;
/** Packages of many small files, which are merged as well. */
const BUNDLED = new Set(["diff", "eventsource-parser", "picomatch"]);

/**
 * `outputs` is that of esbuild's metafile. The entry points and their chunks stay for other entry points, and re-export
 * from the merged file.
 */
export async function mergeDoors(outdir, doors, options, outputs) {
  const inside = (path) => relative(outdir, path);
  const files = new Map(Object.entries(outputs).map(([path, output]) => [inside(path), output]));
  const merged = new Set();
  for (const door of doors) addLoaded(door, files, inside, merged);
  const parts = [...merged].map((file, at) => ({
    file,
    names: files.get(file).exports.map((name) => ({ name, unique: `_${at}_${name}` })),
  }));
  const pass = ({ names }, from, [left, right]) =>
    `export { ${names.map((one) => `${one[left]} as ${one[right]}`).join(", ")} } from "${from}";\n`;
  const contents = parts.map((part) => pass(part, `./${part.file}`, ["name", "unique"])).join("");
  const keptOutside = {
    name: "kept-outside",
    setup(builder) {
      builder.onResolve({ filter: /./ }, ({ path, kind }) =>
        kind === "dynamic-import" || !(path.startsWith(".") || BUNDLED.has(path))
          ? { path, external: true }
          : undefined,
      );
    },
  };
  await build({
    ...options,
    stdin: { contents, resolveDir: outdir },
    outfile: join(outdir, MERGED),
    plugins: [keptOutside],
    // Keep names for stack traces.
    minifySyntax: true,
    minifyWhitespace: true,
    // Node prints the line of an uncaught error.
    lineLimit: LONGEST_LINE,
    // None of our modules has side effects, so chunks imported only for side effects are dropped.
    logOverride: { "ignored-bare-import": "silent" },
  });
  for (const part of parts) {
    const way = relative(dirname(part.file), MERGED);
    writeFileSync(join(outdir, part.file), pass(part, way.startsWith(".") ? way : `./${way}`, ["unique", "name"]));
  }
}

/** A file and everything it imports, except what it loads later. */
function addLoaded(file, files, inside, known) {
  if (known.has(file)) return;
  known.add(file);
  for (const { path, kind, external } of files.get(file).imports)
    if (kind === "import-statement" && !external) addLoaded(inside(path), files, inside, known);
}
