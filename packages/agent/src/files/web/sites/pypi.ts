// PyPI: a project with its metadata and description.

import { isTrueAt, itemsAt, textAt, valueAt } from "./answer-fields.ts";
import { bullets, factLines, paragraphs, partsOf, requiredText, section } from "./page-text.ts";
import type { Site, SiteClient } from "./site.ts";

const API = "https://pypi.org";

export const pypi: Site = {
  name: "pypi",
  api: [API],
  read(url, ask) {
    if (!/^(?:www\.)?pypi\.org$/.test(url.hostname)) return undefined;
    const [kind, name, version] = partsOf(url);
    if (kind !== "project" || name === undefined) return undefined;
    return readProject(version === undefined ? name : `${name}/${version}`, ask);
  },
};

async function readProject(path: string, ask: SiteClient): Promise<string> {
  const answer = await ask.json(`${API}/pypi/${path}/json`);
  const info = valueAt(answer, "info");
  const links = Object.entries(valueAt(info, "project_urls") ?? {}).map(([name, link]) => `${name}: ${link}`);
  return paragraphs(
    `# ${requiredText(info, "name")} ${requiredText(info, "version")}`,
    textAt(info, "summary"),
    factLines({
      Yanked: isTrueAt(info, "yanked") ? textAt(info, "yanked_reason") || "yes" : "",
      License: textAt(info, "license_expression") || (textAt(info, "license").split("\n")[0] ?? ""),
      Author: textAt(info, "author") || textAt(info, "author_email"),
      Python: textAt(info, "requires_python"),
      Published: textAt(answer, "urls", 0, "upload_time_iso_8601"),
    }),
    section("## Links", bullets(links)),
    section("## Requires", bullets(itemsAt(info, "requires_dist").map(String))),
    section(
      "## Known vulnerabilities",
      bullets(
        itemsAt(answer, "vulnerabilities").map(
          (one) => `${textAt(one, "id")}: fixed in ${itemsAt(one, "fixed_in").join(", ") || "no version"}`,
        ),
      ),
    ),
    section("## Description", textAt(info, "description")),
  );
}
