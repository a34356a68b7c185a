// NVD: a vulnerability with its scores and affected products.

import type { JsonValue } from "@lathe/llm";
import { isTrueAt, itemsAt, numberAt, textAt, valueAt } from "./answer-fields.ts";
import { bullets, factLines, paragraphs, requiredText, section } from "./page-text.ts";
import type { Site, SiteClient } from "./site.ts";

const API = "https://services.nvd.nist.gov";
const METRICS = ["cvssMetricV40", "cvssMetricV31", "cvssMetricV30", "cvssMetricV2"];
const MOST_PRODUCTS = 50;

export const nvd: Site = {
  name: "nvd",
  api: [API],
  read(url, ask) {
    const [, id] = /^\/vuln\/detail\/(cve-\d{4}-\d+)\/?$/i.exec(url.pathname) ?? [];
    return url.hostname === "nvd.nist.gov" && id !== undefined ? readCve(id.toUpperCase(), ask) : undefined;
  },
};

async function readCve(id: string, ask: SiteClient): Promise<string> {
  const answer = await ask.json(`${API}/rest/json/cves/2.0?cveId=${id}`);
  const cve = valueAt(answer, "vulnerabilities", 0, "cve");
  const inEnglish = (texts: readonly JsonValue[]): string =>
    textAt(
      texts.find((one) => textAt(one, "lang") === "en"),
      "value",
    );
  const products = itemsAt(cve, "configurations")
    .flatMap((configuration) => itemsAt(configuration, "nodes"))
    .flatMap((node) => itemsAt(node, "cpeMatch"))
    .filter((match) => isTrueAt(match, "vulnerable"));
  return paragraphs(
    `# ${requiredText(cve, "id")}`,
    inEnglish(itemsAt(cve, "descriptions")),
    factLines({
      Status: textAt(cve, "vulnStatus"),
      Published: textAt(cve, "published"),
      Modified: textAt(cve, "lastModified"),
      Weaknesses: itemsAt(cve, "weaknesses")
        .map((weakness) => inEnglish(itemsAt(weakness, "description")))
        .join(", "),
    }),
    section("## Scores", bullets(METRICS.flatMap((name) => itemsAt(cve, "metrics", name)).map(scoreLine))),
    section("## Affected", bullets(products.slice(0, MOST_PRODUCTS).map(productLine))),
    section("## References", bullets(itemsAt(cve, "references").map((reference) => textAt(reference, "url")))),
  );
}

function scoreLine(metric: JsonValue): string {
  const data = valueAt(metric, "cvssData");
  const severity = textAt(data, "baseSeverity") || textAt(metric, "baseSeverity");
  const score = `CVSS ${textAt(data, "version")}: ${numberAt(data, "baseScore") ?? "?"} ${severity}`;
  return `${score}, ${textAt(data, "vectorString")} (${textAt(metric, "source")})`;
}

function productLine(match: JsonValue): string {
  const bounds = [
    ["from", "versionStartIncluding"],
    ["after", "versionStartExcluding"],
    ["to", "versionEndIncluding"],
    ["before", "versionEndExcluding"],
  ].flatMap(([word, field = ""]) => (textAt(match, field) === "" ? [] : [`${word} ${textAt(match, field)}`]));
  return [textAt(match, "criteria"), ...bounds].join(", ");
}
