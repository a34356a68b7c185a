// crates.io: a crate with its metadata, dependencies and readme.

import type { JsonValue } from "@lathe/llm";
import { isTrueAt, itemsAt, numberAt, textAt, valueAt } from "./answer-fields.ts";
import { bullets, factLines, ifAnswered, paragraphs, partsOf, requiredText, section } from "./page-text.ts";
import type { Site, SiteClient } from "./site.ts";

const WEB = "https://crates.io";

export const cratesIo: Site = {
  name: "crates.io",
  // Readmes are stored there; the API redirects to it.
  api: [WEB, "https://static.crates.io"],
  read(url, ask) {
    if (!/^(?:www\.)?crates\.io$/.test(url.hostname)) return undefined;
    const [kind, name, version] = partsOf(url);
    return kind === "crates" && name !== undefined ? readCrate(name, version, ask) : undefined;
  },
};

async function readCrate(name: string, wanted: string | undefined, ask: SiteClient): Promise<string> {
  const path = `${WEB}/api/v1/crates/${name}`;
  const answer = await ask.json(path);
  const crate = valueAt(answer, "crate");
  const number = wanted ?? (textAt(crate, "max_stable_version") || textAt(crate, "newest_version"));
  const version = itemsAt(answer, "versions").find((one) => textAt(one, "num") === number);
  const [dependencies, readme] = await Promise.all([
    ifAnswered(ask.json(`${path}/${number}/dependencies`)),
    ifAnswered(ask.html(`${path}/${number}/readme`)),
  ]);
  return paragraphs(
    `# ${requiredText(crate, "name")} ${requiredText(version, "num")}`,
    textAt(crate, "description"),
    factLines({
      Yanked: isTrueAt(version, "yanked") ? "yes" : "",
      License: textAt(version, "license"),
      "Minimum Rust": textAt(version, "rust_version"),
      Published: textAt(version, "created_at"),
      Downloads: numberAt(crate, "downloads"),
      Documentation: textAt(crate, "documentation"),
      Homepage: textAt(crate, "homepage"),
      Repository: textAt(crate, "repository"),
      Features: Object.keys(valueAt(version, "features") ?? {}).join(", "),
    }),
    section("## Dependencies", bullets(itemsAt(dependencies, "dependencies").map(dependencyLine))),
    section("## Readme", readme && (await ask.markdown(readme, `${WEB}/crates/${name}`))),
  );
}

function dependencyLine(value: JsonValue): string {
  const kind = textAt(value, "kind");
  const words = [...(kind === "normal" ? [] : [kind]), ...(isTrueAt(value, "optional") ? ["optional"] : [])];
  return `${textAt(value, "crate_id")} ${textAt(value, "req")}${words.length === 0 ? "" : ` (${words.join(", ")})`}`;
}
