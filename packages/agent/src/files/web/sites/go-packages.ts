// pkg.go.dev: packages with their documentation, modules with their readme.

import type { JsonValue } from "@lathe/llm";
import { isTrueAt, itemsAt, textAt } from "./answer-fields.ts";
import { factLines, ifAnswered, paragraphs, requiredText, section } from "./page-text.ts";
import type { Site, SiteClient } from "./site.ts";

const API = "https://pkg.go.dev/v1beta";

export const goPackages: Site = {
  name: "pkg.go.dev",
  api: ["https://pkg.go.dev"],
  read(url, ask) {
    const [, path = "", version] = /^\/([^@]+?)\/?(?:@([^/]+))?$/.exec(url.pathname) ?? [];
    if (url.hostname !== "pkg.go.dev" || path === "") return undefined;
    if (/^(?:about|search|badge|vuln|license-policy|api|v1beta|static)(?:\/|$)/.test(path)) return undefined;
    return readPackage(path, version, ask);
  },
};

async function readPackage(path: string, version: string | undefined, ask: SiteClient): Promise<string> {
  const query = version === undefined ? "" : `&version=${version}`;
  // A module need not be a package, and not every package is a module.
  const [found, module] = await Promise.all([
    ifAnswered(ask.json(`${API}/package/${path}?doc=markdown${query}`)),
    ifAnswered(ask.json(`${API}/module/${path}?readme=true${query}`)),
  ]);
  const main = found ?? module;
  return paragraphs(
    `# ${path} ${requiredText(main, "version")}${isTrueAt(main, "isLatest") ? " (latest)" : ""}`,
    textAt(found, "synopsis"),
    factLines({
      Module: textAt(found, "modulePath"),
      Repository: textAt(module, "repoUrl"),
      License: licenses(module) || licenses(found),
    }),
    section("## Documentation", textAt(found, "docs")),
    section("## Readme", textAt(module, "readme", "contents")),
  );
}

const licenses = (value: JsonValue | undefined): string =>
  itemsAt(value, "licenses")
    .flatMap((license) => itemsAt(license, "types"))
    .join(", ");
