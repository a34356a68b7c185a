// Where to look: which files a failing test run points at, what they import, and which functions they call.

/** Project files named in a test run's output, in order of appearance. */
export function filesInOutput(output: string): string[] {
  const found = new Set<string>();
  for (const match of output.matchAll(/(?:file:\/\/)?([\w./@+-]*[\w+-]\.(?:[cm]?[jt]sx?|py|rb|go))(?=[:"'),\s]|$)/gm)) {
    const path = match[1] ?? "";
    if (path.includes("node_modules/") || path.startsWith("node:")) continue;
    found.add(path);
  }
  return [...found];
}

export const isTestFile = (path: string): boolean =>
  /(^|\/)(tests?|spec|__tests__)\/|[._-](test|spec)\.|(^|\/)test_/.test(path);

/** Modules of the project that a source text imports: relative paths as written, Python modules as paths. */
export function localImports(source: string): string[] {
  const found: string[] = [];
  for (const match of source.matchAll(/(?:from|import|require\()\s*["'](\.{1,2}\/[^"']+)["']/g))
    found.push(match[1] ?? "");
  for (const match of source.matchAll(/^\s*from\s+([\w.]+)\s+import|^\s*import\s+([\w.]+)\s*$/gm)) {
    found.push(`./${(match[1] ?? match[2] ?? "").replace(/\./g, "/")}.py`);
  }
  return [...new Set(found)];
}

/** Lines of the functions that are named in the test; all lines when none is found. */
export function suspectLines(lines: readonly string[], testSource: string): (line: number) => boolean {
  const inside = new Set<number>();
  lines.forEach((text, start) => {
    const name =
      /\b(?:function\*?|def|func|fn)\s+(\w+)|\b(?:const|let|var)\s+(\w+)\s*=\s*(?:async\s*)?(?:function|\(|\w+\s*=>)/.exec(
        text,
      );
    const called = name?.[1] ?? name?.[2];
    if (!called || !new RegExp(`\\b${called}\\b`).test(testSource)) return;
    const indent = text.search(/\S/);
    for (let line = start; line < lines.length; line++) {
      inside.add(line);
      const next = lines[line + 1];
      if (
        line > start &&
        next !== undefined &&
        next.trim() !== "" &&
        next.search(/\S/) <= indent &&
        !/^\s*[})\]]/.test(next)
      )
        break;
    }
  });
  return inside.size > 0 ? (line) => inside.has(line) : () => true;
}
