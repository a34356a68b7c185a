// A remote tree for the in-process search engine: one listing per search, files in batches.

import { basename, dirname, join } from "node:path/posix";
import type { SearchEntry, SearchFs } from "./search/search-fs.ts";
import type { RunScript } from "./shell-files.ts";

interface Node {
  readonly kind: "file" | "directory";
  readonly mtimeMs: number;
}

const KIND = `for path; do if [ -f "$path" ]; then echo f; elif [ -d "$path" ]; then echo d; else echo -; fi; done`;

// The mode distinguishes files, directories and links; .git is listed so that repository roots are known.
const TREE = `find "$1" -name .git -prune -exec stat -c '%f %Y %n' {} + -o -exec stat -c '%f %Y %n' {} + 2>/dev/null; :`;

// Each file after its size; a file that vanished, or is too large to fetch for a search, is empty.
const CONTENT = `for path; do
  size=$(wc -c < "$path" 2>/dev/null) || size=0
  [ "$size" -gt ${64 << 20} ] && size=0
  echo $((size))
  [ "$size" -gt 0 ] && head -c "$((size))" "$path"
done; :`;

export function remoteSearchFs(run: RunScript): SearchFs {
  const trees = new Map<string, Promise<Map<string, Map<string, Node>>>>();
  const tree = (root: string) => {
    for (const [known, nodes] of trees) if (root === known || root.startsWith(`${known}/`)) return nodes;
    const nodes = readTree(run, root);
    trees.set(root, nodes);
    return nodes;
  };
  return {
    async kinds(paths) {
      const { stdout } = await run({ script: KIND, args: paths });
      const answers = stdout.toString("latin1").split("\n");
      return paths.map((_, i) => (answers[i] === "f" ? "file" : answers[i] === "d" ? "directory" : undefined));
    },
    async entries(directory) {
      const nodes = (await tree(directory)).get(directory) ?? new Map<string, Node>();
      const entries: SearchEntry[] = [];
      for (const [name, { kind }] of nodes) entries.push({ name, kind });
      return entries;
    },
    async read(paths) {
      const { stdout } = await run({ script: CONTENT, args: paths });
      const contents: Buffer[] = [];
      let at = 0;
      for (const _ of paths) {
        const line = stdout.indexOf(10, at);
        const size = Number(stdout.toString("latin1", at, line));
        contents.push(stdout.subarray(line + 1, line + 1 + size));
        at = line + 1 + size;
      }
      return contents;
    },
    async mtimeMs(path) {
      return (await tree(dirname(path))).get(dirname(path))?.get(basename(path))?.mtimeMs ?? 0;
    },
  };
}

async function readTree(run: RunScript, root: string): Promise<Map<string, Map<string, Node>>> {
  const { stdout } = await run({ script: TREE, args: [root] });
  const directories = new Map<string, Map<string, Node>>();
  for (const line of stdout.toString("utf8").split(/\n(?=[0-9a-f]+ \d+ \/)/)) {
    const [, mode, seconds, path] = /^([0-9a-f]+) (\d+) ([\s\S]*?)\n?$/.exec(line) ?? [];
    if (path === undefined || path === root) continue;
    const format = Number.parseInt(mode!, 16) & 0xf000;
    if (format !== 0x8000 && format !== 0x4000) continue;
    const full = join(path);
    const siblings = directories.get(dirname(full)) ?? new Map<string, Node>();
    directories.set(dirname(full), siblings);
    siblings.set(basename(full), { kind: format === 0x4000 ? "directory" : "file", mtimeMs: Number(seconds) * 1000 });
  }
  return directories;
}
