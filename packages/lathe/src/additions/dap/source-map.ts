// Source maps of scripts that Node has loaded: they map lines of TypeScript to positions in the running code, and back.

import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { isJsonObject } from "@lathe/llm";

/** Counted from 0, as maps and the inspector do. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

interface Segment {
  readonly generated: Place;
  readonly source: number;
  readonly original: Place;
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

export class SourceMap {
  /** Absolute paths. */
  readonly sources: readonly string[];
  /** In the order of the generated code. */
  readonly #segments: readonly Segment[];

  private constructor(sources: readonly string[], segments: readonly Segment[]) {
    this.sources = sources;
    this.#segments = segments;
  }

  /** `file`: path of the map, or of the script that contains it. Undefined if the text is not a source map. */
  static parse(text: string, file: string): SourceMap | undefined {
    const map: unknown = JSON.parse(text);
    if (!isJsonObject(map) || !Array.isArray(map["sources"]) || typeof map["mappings"] !== "string") return undefined;
    const root = typeof map["sourceRoot"] === "string" ? map["sourceRoot"] : "";
    const sources = map["sources"].map((source) => {
      const name = root === "" ? String(source) : `${root.replace(/\/?$/, "/")}${source}`;
      return name.startsWith("file:") ? fileURLToPath(name) : posix.resolve(posix.dirname(file), name);
    });
    return new SourceMap(sources, decodeMappings(map["mappings"]));
  }

  /** The generated position of the first code at or after a source line, and the line of that code. */
  generatedPlace(path: string, line: number): { readonly at: Place; readonly line: number } | undefined {
    const source = this.sources.indexOf(path);
    let best: Segment | undefined;
    for (const segment of this.#segments)
      if (segment.source === source && segment.original.line >= line)
        if (best === undefined || segment.original.line < best.original.line) best = segment;
    return best && { at: best.generated, line: best.original.line };
  }

  originalPlace({ line, column }: Place): { readonly path: string; readonly at: Place } | undefined {
    let [low, high] = [0, this.#segments.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const { generated } = this.#segments[middle]!;
      if (generated.line < line || (generated.line === line && generated.column <= column)) low = middle + 1;
      else high = middle;
    }
    const found = this.#segments[low - 1];
    if (found?.generated.line !== line) return undefined;
    return { path: this.sources[found.source] ?? "", at: found.original };
  }
}

function decodeMappings(mappings: string): Segment[] {
  const segments: Segment[] = [];
  let [source, line, column] = [0, 0, 0];
  for (const [at, text] of mappings.split(";").entries()) {
    let generatedColumn = 0;
    for (const part of text.split(",")) {
      const [moved, ofSource, ofLine, ofColumn] = decodeNumbers(part);
      if (moved === undefined) continue;
      generatedColumn += moved;
      if (ofSource === undefined || ofLine === undefined || ofColumn === undefined) continue;
      source += ofSource;
      line += ofLine;
      column += ofColumn;
      segments.push({ generated: { line: at, column: generatedColumn }, source, original: { line, column } });
    }
  }
  return segments;
}

function decodeNumbers(text: string): number[] {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const character of text) {
    const digit = DIGITS.indexOf(character);
    value += (digit & 31) << shift;
    shift += 5;
    if (digit & 32) continue;
    numbers.push(value & 1 ? -(value >> 1) : value >> 1);
    value = 0;
    shift = 0;
  }
  return numbers;
}
