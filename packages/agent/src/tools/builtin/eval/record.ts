// The output of the cells of one call, in order and in bounded memory.

import type { JsonObject, JsonValue } from "@lathe/llm";
import type { ArtifactRef, ToolContent, ToolContext } from "../../../contract/tool.ts";
import { fitPicture, type Picture, pictureFacts } from "../../../files/read/fit-image.ts";
import { Spilling, WholeCharacters } from "../../../world/process/bounded-output.ts";
import { lazyArtifact } from "../../run/run-command.ts";
import type { CellEnd, CellLanguage } from "./cells.ts";

const KEPT_BYTES = 256 << 10;
/** Limit of the details that hosts get about shown values and helpers; the text has everything. */
const MOST_DETAILS = 64 << 10;
const MOST_PICTURES = 20;
const KEPT_PICTURE = 125 << 10;

export class CellRecord {
  readonly #context: ToolContext;
  readonly #spill: ReturnType<typeof lazyArtifact>;
  readonly #text: Spilling;
  readonly #live = new WholeCharacters();
  readonly #pictures: Picture[] = [];
  readonly #cells: JsonObject[] = [];
  readonly #jsonOutputs: JsonValue[] = [];
  readonly #statusEvents: JsonValue[] = [];
  #detailBytes = 0;
  #atLineStart = true;

  constructor(context: ToolContext) {
    this.#context = context;
    this.#spill = lazyArtifact(context, "eval");
    this.#text = new Spilling(KEPT_BYTES, this.#spill);
  }

  /** Runs one cell and records how it ended. */
  async trackCell(facts: { readonly language: CellLanguage }, work: () => Promise<CellEnd>): Promise<CellEnd> {
    const now = this.#context.services.now ?? (() => 0);
    const began = now();
    const end = await work();
    this.#cells.push({ ...facts, status: end.status, durationMs: Math.round(now() - began) });
    return end;
  }

  print(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#text.push(bytes);
    this.#atLineStart = bytes.at(-1) === 10;
    const whole = this.#live.push(bytes);
    if (whole.length > 0) this.#context.onOutput(whole.toString("utf8"), "stdout");
  }

  line(text: string): void {
    this.print(Buffer.from(`${this.#atLineStart ? "" : "\n"}${text}\n`));
  }

  addHeading(text: string): void {
    this.line(this.#text.kept.bytes === 0 ? text : `\n${text}`);
  }

  readonly show = (shown: JsonObject): void => {
    const { plain, markdown, html, json, image, mime } = shown;
    if (typeof image === "string" && typeof mime === "string") this.addPicture(Buffer.from(image, "base64"), mime);
    else if (json !== undefined) {
      this.line(JSON.stringify(json, null, 2));
      this.#note(this.#jsonOutputs, json);
    } else this.line(String(plain ?? markdown ?? (html === undefined ? "" : textOfHtml(String(html)))));
  };

  readonly status = (event: JsonObject): void => this.#note(this.#statusEvents, event);

  addPicture(bytes: Uint8Array, mediaType: string): void {
    if (this.#pictures.length < MOST_PICTURES)
      this.#pictures.push({ path: `picture ${this.#pictures.length + 1}`, bytes, mediaType });
    else this.line(`[more than ${MOST_PICTURES} pictures: this one is left out]`);
  }

  async finish(): Promise<{
    readonly output: string;
    readonly bytes: number;
    readonly pictures: readonly ToolContent[];
    readonly details: JsonObject;
    readonly kept: { readonly artifact?: ArtifactRef; readonly notKept?: string };
  }> {
    const pictures = await this.#fitPictures();
    const languages = [...new Set(this.#cells.map(({ language }) => language as string))];
    return {
      output: this.#text.kept.text(),
      bytes: this.#text.kept.bytes,
      pictures,
      details: {
        cells: this.#cells,
        languages,
        jsonOutputs: this.#jsonOutputs,
        statusEvents: this.#statusEvents,
      },
      kept: await this.#spill.close(),
    };
  }

  async #fitPictures(): Promise<ToolContent[]> {
    const { vision, images } = this.#context.services;
    const content: ToolContent[] = [];
    for (const picture of this.#pictures) {
      if (images?.blocks || !vision) {
        const why = images?.blocks
          ? "Pictures are not sent to the model here (images.blockImages)."
          : "This model cannot look at images.";
        this.line(`[${pictureFacts(picture)}. ${why}]`);
        continue;
      }
      const { bytes, mediaType } = await fitPicture(picture, this.#context, KEPT_PICTURE);
      content.push({ kind: "image", image: { data: bytes, mediaType } });
    }
    return content;
  }

  #note(list: JsonValue[], value: JsonValue): void {
    this.#detailBytes += JSON.stringify(value).length;
    if (this.#detailBytes <= MOST_DETAILS) list.push(value);
  }
}

/** The text of an HTML fragment, with a line for each block. */
const textOfHtml = (html: string): string =>
  html
    .replace(/<(style|script)\b[\s\S]*?<\/\1>/gi, "")
    .replace(/<t[dh]\b[^>]*>/gi, " | ")
    .replace(/<li\b[^>]*>/gi, "\n- ")
    .replace(/<h([1-6])\b[^>]*>/gi, (_, level) => `\n${"#".repeat(Number(level))} `)
    .replace(/<(?:br|p|div|tr|table|ul|ol|pre)\b[^>]*>/gi, "\n")
    .replace(/<\/?(?:b|strong)>/gi, "**")
    .replace(/<[^>]+>/g, "")
    .replace(/&lt;/g, "<")
    .replace(/&gt;/g, ">")
    .replace(/&nbsp;/g, " ")
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/&amp;/g, "&")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
