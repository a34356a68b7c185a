// Rich text: its text, paragraph by paragraph, with headings and table cells.

import { CannotParse } from "../types.ts";
import { TextWriter, tableRow } from "./text-writer.ts";

const MOST_DEPTH = 1000;

/** Groups that contain no text of the document. */
const SILENT = new Set(
  "fonttbl colortbl stylesheet info pict object header headerl headerr headerf footer footerl footerr footerf listtable listoverridetable revtbl rsidtbl themedata datastore latentstyles xmlnstbl generator fldinst bkmkstart bkmkend ftnsep ftnsepc".split(
    " ",
  ),
);

const CHARACTERS: Readonly<Record<string, string>> = {
  tab: "\t",
  line: "\n",
  emdash: "—",
  endash: "–",
  bullet: "•",
  lquote: "‘",
  rquote: "’",
  ldblquote: "“",
  rdblquote: "”",
  emspace: " ",
  enspace: " ",
};

interface Group {
  isSilent: boolean;
  /** Number of fallback characters after a character given by its code. */
  readonly fallback: number;
  /** Written when it ends. */
  readonly closing: string;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export function rtfText(bytes: Uint8Array): string {
  return new RtfReader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1")).read();
}

class RtfReader {
  readonly #source: string;
  readonly #writer = new TextWriter();
  readonly #groups: Group[] = [];
  #group: Mutable<Group> = { isSilent: false, fallback: 1, closing: "" };
  #decoder = new TextDecoder("windows-1252");
  #bytes: number[] = [];
  #text = "";
  #level: number | undefined;
  #cells: string[] = [];
  #inRow = false;
  #notes = 0;
  /** Number of characters still to skip. */
  #skip = 0;

  constructor(source: string) {
    this.#source = source;
  }

  read(): string {
    const token = /\\(?:'([0-9a-f]{2})|([a-z]{1,32})(-?\d{1,10})? ?|([^a-z]))|([{}])|[\r\n]+|([^\\{}\r\n]+)/giy;
    for (;;) {
      const found = token.exec(this.#source);
      if (found === null || this.#writer.isFull) break;
      const [, hex, word, number, symbol, brace, plain] = found;
      if (hex !== undefined) this.#byte(Number.parseInt(hex, 16));
      else if (word !== undefined) {
        if (word === "bin") token.lastIndex += Math.max(0, Number(number ?? 0));
        else this.#word(word, number === undefined ? undefined : Number(number));
      } else if (symbol !== undefined) this.#symbol(symbol);
      else if (brace !== undefined) this.#brace(brace);
      else if (plain !== undefined) this.#add(plain);
    }
    this.#inRow = false;
    this.#notes = 0;
    this.#paragraph();
    return this.#writer.text();
  }

  #brace(brace: string): void {
    this.#takeBytes();
    if (brace === "}") {
      if (this.#group.closing !== "") {
        this.#text = this.#text.trimEnd() + this.#group.closing;
        this.#notes -= 1;
      }
      const outer = this.#groups.pop();
      if (outer) this.#group = { ...outer };
      return;
    }
    if (this.#groups.length > MOST_DEPTH) throw new CannotParse("it is nested too deeply");
    this.#groups.push({ ...this.#group });
    this.#group.closing = "";
  }

  #symbol(symbol: string): void {
    if (symbol === "*") this.#group.isSilent = true;
    else if (symbol === "~") this.#add("\u00a0");
    else if (symbol === "_") this.#add("-");
    else if (symbol === "\n" || symbol === "\r") this.#word("par", undefined);
    else if ("\\{}".includes(symbol)) this.#add(symbol);
  }

  #word(word: string, number: number | undefined): void {
    this.#takeBytes();
    if (SILENT.has(word)) this.#group.isSilent = true;
    if (word === "footnote") this.#note();
    if (word === "ansicpg") this.#decoder = decoderFor(number);
    if (word === "uc") this.#group.fallback = Math.min(Math.max(0, number ?? 1), 32);
    if (this.#group.isSilent) return;
    const character = CHARACTERS[word];
    if (character !== undefined) this.#add(character);
    else if (word === "u") {
      this.#text += String.fromCharCode((number ?? 63) & 0xffff);
      this.#skip = this.#group.fallback;
    } else if (word === "par" || word === "sect" || word === "page") this.#paragraph();
    else if (word === "trowd" || word === "intbl") this.#inRow = true;
    else if (word === "pard") this.#level = this.#notes > 0 ? this.#level : undefined;
    else if (word === "outlinelevel") this.#level = number;
    else if (word === "cell" || word === "nestcell") {
      this.#cells.push(this.#text);
      this.#text = "";
    } else if (word === "row" || word === "nestrow") {
      this.#writer.line(tableRow(this.#cells));
      this.#cells = [];
      this.#text = "";
      this.#inRow = false;
    }
  }

  /** Starts a note, in the middle of the paragraph that it belongs to. */
  #note(): void {
    this.#group.isSilent = false;
    this.#group.closing = "]";
    this.#notes += 1;
    this.#text += " [note: ";
  }

  #byte(byte: number): void {
    if (this.#skip > 0) this.#skip -= 1;
    else if (!this.#group.isSilent) this.#bytes.push(byte);
  }

  #add(text: string): void {
    this.#takeBytes();
    const left = text.slice(this.#skip);
    this.#skip = Math.max(0, this.#skip - text.length);
    if (!this.#group.isSilent) this.#text += left;
  }

  /** A character may consist of two bytes. */
  #takeBytes(): void {
    if (this.#bytes.length === 0) return;
    this.#text += this.#decoder.decode(Uint8Array.from(this.#bytes));
    this.#bytes = [];
  }

  #paragraph(): void {
    this.#takeBytes();
    if (this.#inRow || this.#notes > 0) {
      this.#text += " ";
      return;
    }
    if (this.#level !== undefined && this.#level < 9) this.#writer.heading(this.#level + 1, this.#text);
    else this.#writer.paragraph(this.#text);
    this.#text = "";
  }
}

function decoderFor(page: number | undefined): TextDecoder {
  const name = page === 65001 ? "utf-8" : page === 932 ? "shift_jis" : page === 936 ? "gbk" : `windows-${page}`;
  try {
    return new TextDecoder(name);
  } catch {
    return new TextDecoder("windows-1252"); // an unknown code page
  }
}
