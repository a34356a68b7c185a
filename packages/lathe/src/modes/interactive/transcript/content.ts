// Written text and diffs as rows.

import { type RenderContext, type Row, visible, wrap } from "@lathe/tui";

export interface TextStream {
  add(delta: string): void;
  end(): void;
  finished(context: RenderContext): readonly Row[];
  render(context: RenderContext): readonly Row[];
}

export function textStream(): TextStream {
  return new PlainStream();
}

class PlainStream implements TextStream {
  #text = "";
  #ended = false;
  add(delta: string): void {
    this.#text += delta;
  }
  end(): void {
    this.#ended = true;
  }
  finished({ columns }: RenderContext): readonly Row[] {
    const end = this.#ended ? this.#text.length : this.#text.lastIndexOf("\n");
    if (end <= 0) return [];
    const done = this.#text.slice(0, end);
    this.#text = this.#text.slice(end + 1);
    return markdownRows(done, columns);
  }
  render({ columns }: RenderContext): readonly Row[] {
    return this.#text === "" ? [] : markdownRows(this.#text, columns);
  }
}

export function markdownRows(text: string, columns: number): readonly Row[] {
  return wrap([{ text: visible(text).trimEnd() }], columns);
}

export function diffRows(diff: string, _path: string, columns: number): readonly Row[] {
  return visible(diff)
    .split("\n")
    .flatMap((text) => wrap([{ text, style: { color: colourOf(text) } }], columns, { anywhere: true }));
}

const colourOf = (line: string): string =>
  line.startsWith("+") ? "toolDiffAdded" : line.startsWith("-") ? "toolDiffRemoved" : "toolDiffContext";
