// Runs a script on a tab as part of a call, with its output in order and access to the files that it may use.

import { posix } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "@lathe/llm";
import { type ToolContent, type ToolContext, ToolFailure } from "../../../contract/tool.ts";
import { type FitPicture, fitPicture, type Picture, pictureFacts } from "../../../files/read/fit-image.ts";
import { imageSize, imageType } from "../../../files/target/images.ts";
import { htmlText } from "../../../files/web/to-markdown.ts";
import { saveScreenshotCall } from "./save-screenshot.ts";
import type { TabScript, TabScripts } from "./tab-scripts.ts";

const MOST_PICTURES = 20;
const MODEL_PICTURE = { mostSide: 1024, mostBytes: 150 << 10 };
const MOST_FILE_BYTES = 32 << 20;

/** The script's output, in the order in which it was shown. */
export interface ScriptOutcome {
  readonly text: string;
  readonly pictures: readonly ToolContent[];
  /** The tab's page is gone. */
  readonly hasLostPage: boolean;
  readonly isError: boolean;
}

/** `files`: the uploads that the call names; they were judged as reads. */
export async function runScript(
  scripts: TabScripts,
  script: TabScript & { readonly files: readonly string[] },
  context: ToolContext,
): Promise<ScriptOutcome> {
  const output = new ScriptOutput(scripts, script, context);
  const { status, error } = await scripts.run(script, {
    signal: context.signal,
    show: (text) => output.line(text),
    picture: (bytes, mediaType) => output.add({ path: "picture", bytes, mediaType }),
    answer: (what, args) => output.answer(what, args),
  });
  const shown = await output.finish();
  const lines = error === undefined ? shown.lines : [...shown.lines, error];
  return {
    text: lines.length === 0 ? `Ran code on tab "${script.tab}".` : lines.join("\n"),
    pictures: shown.pictures,
    hasLostPage: status === "timed_out",
    isError: status !== "done",
  };
}

class ScriptOutput {
  readonly #scripts: TabScripts;
  readonly #script: TabScript & { readonly files: readonly string[] };
  readonly #context: ToolContext;
  readonly #lines: string[] = [];
  readonly #pictures: Picture[] = [];
  #shots = 0;

  constructor(scripts: TabScripts, script: TabScript & { readonly files: readonly string[] }, context: ToolContext) {
    this.#scripts = scripts;
    this.#script = script;
    this.#context = context;
  }

  line(text: string): void {
    this.#lines.push(text);
    this.#context.onOutput(`${text}\n`, "stdout");
  }

  add(picture: Picture): void {
    if (this.#pictures.length < MOST_PICTURES) this.#pictures.push(picture);
    else if (this.#pictures.length === MOST_PICTURES) this.line(`[only the first ${MOST_PICTURES} pictures are shown]`);
  }

  async answer(what: string, args: JsonObject): Promise<JsonValue> {
    if (what === "file") return this.#file(String(args["path"]));
    if (what === "markdown") return this.#markdown(String(args["html"]), String(args["url"]));
    if (what === "screenshot") return this.#screenshot(args);
    throw new ToolFailure(`Scripts cannot ask for ${what}.`);
  }

  async finish(): Promise<{ readonly lines: readonly string[]; readonly pictures: readonly ToolContent[] }> {
    const { vision, images } = this.#context.services;
    const pictures: ToolContent[] = [];
    for (const picture of this.#pictures) {
      if (images?.blocks || !vision) {
        const why = images?.blocks ? "images.blockImages is on" : "this model cannot look at images";
        this.line(`[${pictureFacts(picture)}: not shown, as ${why}]`);
        continue;
      }
      const { bytes, mediaType } = await this.#fit(picture);
      pictures.push({ kind: "image", image: { data: bytes, mediaType } });
    }
    return { lines: this.#lines, pictures };
  }

  /** A script may take many screenshots, so the model gets small ones. */
  #fit(picture: Picture): Promise<FitPicture> {
    return fitPicture(picture, this.#context, MODEL_PICTURE.mostBytes, MODEL_PICTURE);
  }

  /** Only files that the call names, because those were judged with it. */
  async #file(path: string): Promise<string> {
    const { env, paths } = this.#context;
    if (!this.#script.files.includes(path))
      throw new ToolFailure(`${path} is not among the files of this call. Name it in \`files\`.`);
    const { real, stat } = await paths.locate(path);
    if (stat?.kind !== "file") throw new ToolFailure(`${path} is not a file.`);
    if (stat.size > MOST_FILE_BYTES)
      throw new ToolFailure(`${path} is larger than ${MOST_FILE_BYTES >> 20} MiB, too large for an upload.`);
    return Buffer.from(await env.readBytes(real, undefined, { ifFile: stat.file })).toString("base64");
  }

  async #markdown(html: string, url: string): Promise<string> {
    return (await htmlText(html, url, this.#context)).text;
  }

  async #screenshot({ png, shown, changed, save, silent }: JsonObject): Promise<JsonValue> {
    const bytes = Buffer.from(String(png), "base64");
    const size = imageSize(bytes);
    if (imageType(bytes) !== "image/png" || !size) throw new ToolFailure("The screenshot is not an image.");
    this.#shots++;
    const picture = { path: "screenshot", bytes, mediaType: "image/png" };
    const { screenshotDir } = this.#scripts;
    const ownName = `${fileStem(this.#script.tab)}-${this.#context.callId}-${this.#shots}.png`;
    const file = typeof save === "string" ? save : screenshotDir && posix.join(screenshotDir, ownName);
    const path = file ? await this.#save(file, bytes) : await this.#keep(await this.#fit(picture));
    if (silent !== true) {
      this.line(`[screenshot, ${size.width}x${size.height} pixels: ${path}${changeText(changed)}]`);
      if (changed !== null)
        this.add({ ...picture, path, bytes: shown === undefined ? bytes : Buffer.from(String(shown), "base64") });
    }
    return { path, width: size.width, height: size.height };
  }

  async #keep({ bytes }: Picture): Promise<string> {
    const artifact = this.#context.openArtifact("screenshot");
    artifact.write(bytes);
    return `artifact://${(await artifact.close()).id}`;
  }

  /** A nested call, so that the file is judged as a write. */
  async #save(path: string, bytes: Uint8Array): Promise<string> {
    const pictures = this.#context.services.screenshots;
    if (!pictures) throw new ToolFailure("Screenshots cannot be saved here.");
    const picture = Math.max(0, ...pictures.keys()) + 1;
    pictures.set(picture, bytes);
    try {
      const { content, isError } = await this.#context.call(saveScreenshotCall.name, { path, picture });
      const [said] = content;
      if (isError) throw new ToolFailure(said?.kind === "text" ? said.text : `${path} was not written.`);
      return path;
    } finally {
      pictures.delete(picture);
    }
  }
}

/** `null` means that the two were compared and are equal. */
function changeText(changed: JsonValue | undefined): string {
  if (changed === undefined) return "";
  if (!isJsonObject(changed)) return "; nothing has changed";
  const { x, y, width, height } = changed;
  return `; changed at ${x},${y}, ${width}x${height} pixels, and only that part is shown`;
}

const fileStem = (name: string): string => name.replace(/[^\w-]+/g, "-").slice(0, 40);
