// Documents that are zip archives of XML files: their parts, within limits that stop zip bombs.

import { unzipSync } from "fflate";
import { Parser } from "htmlparser2";
import { CannotParse } from "../types.ts";

const MOST_PART_BYTES = 96 << 20;
const MOST_BYTES = 192 << 20;
const MOST_PARTS = 10_000;
const MOST_DEPTH = 400;

export type Parts = ReadonlyMap<string, Uint8Array>;

/** The text parts; pictures and the like stay packed. */
export function unpackParts(bytes: Uint8Array): Parts {
  let total = 0;
  let count = 0;
  const filter = ({ name, originalSize }: { name: string; originalSize: number }): boolean => {
    count += 1;
    if (count > MOST_PARTS) throw new CannotParse(`it has more than ${MOST_PARTS} parts`);
    if (!/\.(?:xml|rels|x?html?|opf|ncx)$|^mimetype$/i.test(name)) return false;
    total += originalSize;
    if (originalSize > MOST_PART_BYTES || total > MOST_BYTES)
      throw new CannotParse(`its parts unpack to more than ${MOST_PART_BYTES >> 20} MB`);
    return true;
  };
  try {
    return new Map(Object.entries(unzipSync(bytes, { filter })));
  } catch (error) {
    if (error instanceof CannotParse) throw error;
    throw new CannotParse("its archive is damaged or encrypted");
  }
}

export type Attributes = Readonly<Record<string, string>>;

/** Names have no prefixes. */
export interface XmlHandler {
  open?(name: string, attributes: Attributes): void;
  text?(text: string): void;
  close?(name: string): void;
  /** Returns true if the rest need not be parsed. */
  isDone?(): boolean;
}

class Done extends Error {}

/** Entities defined by the file itself are not expanded. */
export function readXml(part: Uint8Array | undefined, handler: XmlHandler): void {
  if (part) readMarkup(decodeXml(part), handler, true);
}

export function readMarkup(text: string, handler: XmlHandler, xmlMode: boolean): void {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag: (name, attributes) => {
        depth += 1;
        if (handler.isDone?.()) throw new Done();
        if (depth > MOST_DEPTH) throw new CannotParse("it is nested too deeply");
        handler.open?.(local(name), attributes);
      },
      ontext: (data) => handler.text?.(data),
      onclosetag: (name) => {
        depth -= 1;
        handler.close?.(local(name));
      },
    },
    { xmlMode, decodeEntities: true },
  );
  try {
    parser.end(text);
  } catch (error) {
    if (!(error instanceof Done)) throw error;
  }
}

const local = (name: string): string => name.slice(name.indexOf(":") + 1);

/** By name without prefix, unless the exact name exists. */
export function attribute(attributes: Attributes, name: string): string | undefined {
  if (name in attributes) return attributes[name];
  const key = Object.keys(attributes).find((one) => local(one) === name);
  return key === undefined ? undefined : attributes[key];
}

export function decodeXml(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  const head = Buffer.from(bytes.subarray(0, 200)).toString("latin1");
  const [, encoding = "utf-8"] = /^<\?xml[^>]*\bencoding=["']([\w-]+)["']/.exec(head) ?? [];
  return decoderFor(encoding).decode(bytes);
}

function decoderFor(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding);
  } catch {
    return new TextDecoder(); // an unknown encoding
  }
}

/** Targets of a part's relationships by id, as part names. */
export function relationships(
  parts: Parts,
  part: string,
): Map<string, { readonly target: string; readonly type: string }> {
  const slash = part.lastIndexOf("/") + 1;
  const folder = part.slice(0, slash);
  const found = new Map<string, { target: string; type: string }>();
  readXml(parts.get(`${folder}_rels/${part.slice(slash)}.rels`), {
    open: (name, attributes) => {
      if (name !== "Relationship") return;
      const { Id = "", Target = "", Type = "" } = attributes;
      found.set(Id, { target: resolveTarget(folder, Target), type: Type.slice(Type.lastIndexOf("/") + 1) });
    },
  });
  return found;
}

/** A part name relative to the folder of another part. */
export function resolveTarget(folder: string, target: string): string {
  const names: string[] = [];
  for (const name of (target.startsWith("/") ? target : folder + target).split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return names.join("/");
}
