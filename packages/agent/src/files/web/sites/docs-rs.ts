// docs.rs: pages that rustdoc has written, without its buttons and links to itself.

import { ToolFailure } from "../../../contract/tool.ts";
import type { Site, SiteClient } from "./site.ts";

const CONTROLS = ["rustdoc-toolbar", "button", ".hideme", ".anchor", ".doc-anchor", ".src", ".srclink"];

export const docsRs: Site = {
  name: "docs.rs",
  api: [],
  read: (url, ask) =>
    url.hostname === "docs.rs" && /^\/(?!(?:crate|releases|about|search|-)(?:\/|$))./.test(url.pathname)
      ? readItem(url.href, ask)
      : undefined,
};

async function readItem(url: string, ask: SiteClient): Promise<string> {
  const html = await ask.html(url);
  if (!html.includes('id="main-content"')) throw new ToolFailure("The answer is no page of rustdoc.");
  return ask.markdown(html, url, CONTROLS);
}
