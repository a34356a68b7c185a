import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const SRC = fileURLToPath(new URL("../../src", import.meta.url));

/** Layer of a folder or file under src: a file may import from its own layer and from those below. */
const LAYERS: readonly (readonly string[])[] = [
  ["types"],
  [
    ...["errors", "framing", "schema", "media", "stream", "transport", "protocols", "auth", "serve"],
    ...["catalog", "providers", "discovery", "registry"],
    ...["segments.ts", "conversation.ts", "deps.ts", "deps.browser.ts", "timers.ts", "adapter.ts", "adapter-kit.ts"],
  ],
  ["middleware", "guard", "client"],
  ["generate", "index.ts"],
];

function layerOf(file: string): number {
  const [top] = relative(SRC, file).split("/");
  return LAYERS.findIndex((names) => names.includes(top ?? ""));
}

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return path.endsWith(".ts") && !path.endsWith(".test.ts") ? [path] : [];
  });
}

/** Imports that reach up, as "file -> imported". Types contain no code and may come from above. */
function violations(files: ReadonlyMap<string, string>): string[] {
  const found: string[] = [];
  for (const [file, text] of files)
    for (const [, typeOnly, path] of text.matchAll(/^(?:import|export)\s(type\s)?[^;]*?from "(\.[^"]+)";/gms)) {
      const target = resolve(dirname(file), path ?? "");
      if (typeOnly === undefined && layerOf(target) > layerOf(file))
        found.push(`${relative(SRC, file)} -> ${relative(SRC, target)}`);
    }
  return found;
}

describe("layers", () => {
  const files = new Map(sources(SRC).map((file) => [file, readFileSync(file, "utf8")]));

  it("CL-01 every file belongs to a layer", () => {
    expect([...files.keys()].filter((file) => layerOf(file) < 0).map((file) => relative(SRC, file))).toEqual([]);
  });

  it("CL-01 imports point downwards only", () => {
    expect(violations(files)).toEqual([]);
  });

  it("CL-01 the check notices a layer-1 file that imports layer 3", () => {
    const bad = new Map([[join(SRC, "types/request.ts"), 'import { Client } from "../client/client.ts";\n']]);
    expect(violations(bad)).toEqual(["types/request.ts -> client/client.ts"]);
  });

  it("CL-06 only deps.ts, and deps.browser.ts in its place, touch the machine", () => {
    const forbidden = /\bprocess\.(env|cwd)|\bDate\.now\(|\bMath\.random\(|new Date\(\)/;
    const offenders = [...files].filter(
      ([file, text]) => !/\/deps(\.browser)?\.ts$/.test(file) && forbidden.test(withoutComments(text)),
    );
    expect(offenders.map(([file]) => relative(SRC, file))).toEqual([]);
  });
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}
