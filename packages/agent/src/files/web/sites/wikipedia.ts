// Wikipedia: an article without the site's frame and footnote marks.

import { ToolFailure } from "../../../contract/tool.ts";
import { decodePart, partsOf } from "./page-text.ts";
import type { Site, SiteClient } from "./site.ts";

export const wikipedia: Site = {
  name: "wikipedia",
  api: [],
  read(url, ask) {
    const [, language] = /^([a-z-]+)\.(?:m\.)?wikipedia\.org$/.exec(url.hostname) ?? [];
    const [kind, ...title] = partsOf(url);
    if (language === undefined || language === "www" || kind !== "wiki" || title.length === 0) return undefined;
    return readArticle(title.join("%2F"), url, ask);
  },
};

async function readArticle(title: string, url: URL, ask: SiteClient): Promise<string> {
  const html = await ask.html(`${url.origin}/w/rest.php/v1/page/${title}/html`);
  // Every article contains classes of MediaWiki; a page that only explains a missing article does not.
  if (!html.includes("mw-")) throw new ToolFailure("The answer is not an article.");
  const name = decodePart(title).replaceAll("_", " ");
  return `# ${name}\n\n${await ask.markdown(html, url.href, [".mw-ref", ".reference", ".mw-editsection"])}`;
}
