// OSV: a vulnerability of an open-source package.

import type { JsonValue } from "@lathe/llm";
import { itemsAt, textAt } from "./answer-fields.ts";
import { bullets, factLines, paragraphs, requiredText, section } from "./page-text.ts";
import type { Site, SiteClient } from "./site.ts";

const API = "https://api.osv.dev";

export const osv: Site = {
  name: "osv",
  api: [API],
  read(url, ask) {
    const [, id] = /^\/vulnerability\/([\w:.-]+)\/?$/.exec(url.pathname) ?? [];
    return url.hostname === "osv.dev" && id !== undefined ? readVulnerability(id, ask) : undefined;
  },
};

async function readVulnerability(id: string, ask: SiteClient): Promise<string> {
  const answer = await ask.json(`${API}/v1/vulns/${id}`);
  return paragraphs(
    `# ${requiredText(answer, "id")}`,
    textAt(answer, "summary"),
    factLines({
      Aliases: itemsAt(answer, "aliases").join(", "),
      Published: textAt(answer, "published"),
      Modified: textAt(answer, "modified"),
      Withdrawn: textAt(answer, "withdrawn"),
      Severity: itemsAt(answer, "severity")
        .map((one) => textAt(one, "score"))
        .join(", "),
    }),
    textAt(answer, "details"),
    section("## Affected", bullets(itemsAt(answer, "affected").map(affectedLine))),
    section("## References", bullets(itemsAt(answer, "references").map((one) => textAt(one, "url")))),
  );
}

function affectedLine(affected: JsonValue): string {
  const ranges = itemsAt(affected, "ranges").map((range) =>
    itemsAt(range, "events")
      .flatMap((event) => Object.entries(event ?? {}).map(([kind, version]) => `${kind.replace("_", " ")} ${version}`))
      .join(", "),
  );
  const name = `${textAt(affected, "package", "ecosystem")} ${textAt(affected, "package", "name")}`.trim();
  return ranges.length === 0 ? name : `${name}: ${ranges.join("; ")}`;
}
