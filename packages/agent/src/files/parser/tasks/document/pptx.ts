// Presentations: every slide with its title, paragraphs, tables and speaker's notes.

import { CannotParse } from "../types.ts";
import { type Attributes, attribute, type Parts, readXml, relationships } from "./package-parts.ts";
import { cleanLine, TextWriter } from "./text-writer.ts";

export function pptxText(parts: Parts): string {
  const slides = slidesOf(parts);
  if (slides.length === 0) throw new CannotParse("ppt/presentation.xml is missing in it, or names no slide");
  const writer = new TextWriter();
  slides.forEach((part, i) => {
    if (writer.isFull) return;
    const slide = new SlideReader();
    readXml(parts.get(part), slide);
    writer.heading(2, `Slide ${i + 1}${slide.title === "" ? "" : `: ${slide.title}`}`);
    slide.write(writer);
    const notes = [...relationships(parts, part).values()].find(({ type }) => type === "notesSlide");
    if (notes) writeNotes(parts.get(notes.target), writer);
  });
  return writer.text();
}

function slidesOf(parts: Parts): string[] {
  const targets = relationships(parts, "ppt/presentation.xml");
  const slides: string[] = [];
  readXml(parts.get("ppt/presentation.xml"), {
    open: (name, attributes) => {
      const target = name === "sldId" ? targets.get(attributes["r:id"] ?? "")?.target : undefined;
      if (target !== undefined) slides.push(target);
    },
  });
  return slides;
}

function writeNotes(part: Uint8Array | undefined, writer: TextWriter): void {
  const reader = new SlideReader();
  readXml(part, reader);
  const said = reader.paragraphs.map(({ text }) => text);
  if (said.length === 0) return;
  writer.blank();
  writer.line("Notes:");
  for (const text of said) writer.paragraph(text);
}

/** Shapes without text of their own. */
const FURNITURE = new Set(["sldNum", "dt", "ftr", "hdr", "sldImg"]);

class SlideReader {
  title = "";
  readonly paragraphs: { text: string; level: number; rows?: string[][] }[] = [];
  #role = "";
  #level = 0;
  #text = "";
  #inText = false;
  #rows: string[][] | undefined;

  open(name: string, attributes: Attributes): void {
    if (name === "sp") this.#role = "";
    else if (name === "ph") this.#role = attributes["type"] ?? "body";
    else if (name === "p") {
      this.#text = "";
      this.#level = 0;
    } else if (name === "pPr") this.#level = Number(attribute(attributes, "lvl") ?? 0) || 0;
    else if (name === "br") this.#text += "\n";
    else if (name === "t") this.#inText = true;
    else if (name === "tbl") this.#rows = [];
    else if (name === "tr") this.#rows?.push([]);
    else if (name === "tc") this.#rows?.at(-1)?.push("");
  }

  text(text: string): void {
    if (this.#inText) this.#text += text;
  }

  close(name: string): void {
    if (name === "t") this.#inText = false;
    else if (name === "p") this.#finish();
    else if (name === "tbl" && this.#rows) {
      this.paragraphs.push({ text: "", level: 0, rows: this.#rows });
      this.#rows = undefined;
    }
  }

  write(writer: TextWriter): void {
    for (const { text, level, rows } of this.paragraphs) {
      if (rows) writer.table(rows);
      else writer.item(level, "-", text);
    }
  }

  #finish(): void {
    const text = this.#text.trim();
    const row = this.#rows?.at(-1);
    if (row && row.length > 0) row[row.length - 1] = `${row.at(-1)} ${text}`.trim();
    else if (text === "" || FURNITURE.has(this.#role)) return;
    else if (this.#role === "title" || this.#role === "ctrTitle") this.title = cleanLine(`${this.title} ${text}`);
    else this.paragraphs.push({ text, level: this.#level });
  }
}
