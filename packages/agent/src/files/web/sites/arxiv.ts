// arXiv: the abstract of a paper with its metadata.

import { ToolFailure } from "../../../contract/tool.ts";
import { fieldOf } from "../feed.ts";
import { bullets, factLines, paragraphs, section } from "./page-text.ts";
import type { Site, SiteClient } from "./site.ts";
import { elementsIn } from "./xml.ts";

const API = "https://export.arxiv.org";

export const arxiv: Site = {
  name: "arxiv",
  api: [API],
  read(url, ask) {
    const [, id] = /^\/abs\/((?:[\w.-]+\/)?[\w.]+)$/.exec(url.pathname) ?? [];
    return /^(?:www\.|export\.)?arxiv\.org$/.test(url.hostname) && id !== undefined ? readAbstract(id, ask) : undefined;
  },
};

async function readAbstract(id: string, ask: SiteClient): Promise<string> {
  const feed = await ask.text(`${API}/api/query?id_list=${id}`, { accept: "application/atom+xml" });
  const [entry = ""] = elementsIn(feed, "entry");
  const summary = fieldOf(entry, "summary");
  // The API also reports an unknown id as an entry.
  if (summary === "" || fieldOf(entry, "title") === "Error") throw new ToolFailure(`arXiv has no ${id}.`);
  const authors = elementsIn(entry, "author").map((author) => fieldOf(author, "name"));
  const categories = [...entry.matchAll(/<category term="([^"]+)"/g)].map(([, term]) => term);
  return paragraphs(
    `# ${fieldOf(entry, "title")}`,
    factLines({
      Authors: authors.join(", "),
      Published: fieldOf(entry, "published"),
      Updated: fieldOf(entry, "updated"),
      Categories: categories.join(", "),
      Comment: fieldOf(entry, "arxiv:comment"),
      Journal: fieldOf(entry, "arxiv:journal_ref"),
      DOI: fieldOf(entry, "arxiv:doi"),
    }),
    section("## Abstract", summary),
    bullets([`https://arxiv.org/pdf/${id}`, `https://arxiv.org/html/${id}`]),
  );
}
