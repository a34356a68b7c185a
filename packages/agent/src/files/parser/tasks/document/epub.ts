// Books: the chapters in reading order, as text.

import { decodePercents } from "../../../../base/secrets/secret-values.ts";
import { CannotParse } from "../types.ts";
import { HtmlReader } from "./html.ts";
import { attribute, decodeXml, type Parts, readMarkup, readXml, resolveTarget } from "./package-parts.ts";
import { cleanLine, TextWriter } from "./text-writer.ts";

export function epubText(parts: Parts): string {
  const book = bookFile(parts);
  const folder = book.slice(0, book.lastIndexOf("/") + 1);
  const files = new Map<string, string>();
  const order: string[] = [];
  const writer = new TextWriter();
  let title = "";
  let inTitle = false;
  readXml(parts.get(book), {
    open: (name, attributes) => {
      inTitle = name === "title";
      if (name === "item")
        files.set(attributes["id"] ?? "", resolveTarget(folder, decodePercents(attributes["href"] ?? "")));
      if (name === "itemref" && attributes["linear"] !== "no") order.push(attributes["idref"] ?? "");
    },
    text: (text) => {
      if (inTitle) title += text;
    },
    close: () => {
      inTitle = false;
    },
  });
  for (const id of order) {
    const chapter = parts.get(files.get(id) ?? "");
    if (!chapter || writer.isFull) continue;
    writer.blank();
    readMarkup(decodeXml(chapter), new HtmlReader(writer), true);
  }
  const text = writer.text();
  // Most books have their title on the first page.
  return title === "" || text.slice(0, 1000).includes(title) ? text : `# ${cleanLine(title)}\n\n${text}`;
}

function bookFile(parts: Parts): string {
  let path: string | undefined;
  readXml(parts.get("META-INF/container.xml"), {
    open: (name, attributes) => {
      if (name === "rootfile") path ??= attribute(attributes, "full-path");
    },
  });
  if (path === undefined || !parts.has(path)) throw new CannotParse("its list of contents is missing");
  return path;
}
