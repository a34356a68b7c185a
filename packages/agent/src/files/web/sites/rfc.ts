// RFCs in their original text form, without page breaks.

import { ToolFailure } from "../../../contract/tool.ts";
import type { Site, SiteClient } from "./site.ts";

const EDITOR = "https://www.rfc-editor.org";
const ADDRESS: Readonly<Record<string, RegExp>> = {
  "www.rfc-editor.org": /^\/(?:rfc|info)\/rfc(\d+)(?:\.html|\/)?$/,
  "rfc-editor.org": /^\/(?:rfc|info)\/rfc(\d+)(?:\.html|\/)?$/,
  "datatracker.ietf.org": /^\/doc\/(?:html\/)?rfc(\d+)\/?$/,
  "tools.ietf.org": /^\/html\/rfc(\d+)$/,
};

export const rfc: Site = {
  name: "rfc",
  api: [EDITOR],
  read(url, ask) {
    const number = ADDRESS[url.hostname]?.exec(url.pathname)?.[1];
    return number === undefined ? undefined : readRfc(number, ask);
  },
};

async function readRfc(number: string, ask: SiteClient): Promise<string> {
  const text = await ask.text(`${EDITOR}/rfc/rfc${number}.txt`);
  if (!/request for comments|^rfc\b/im.test(text)) throw new ToolFailure("The answer is not an RFC.");
  return text
    .replaceAll("\r\n", "\n")
    .replace(/(?<!\n)\n+[^\n]*\[Page \d+\][ \t]*\n\f\n?(?:RFC \d+[^\n]*\n)?\n*/g, "\n\n")
    .replaceAll("\f", "")
    .replace(/\n{4,}/g, "\n\n\n")
    .trim();
}
