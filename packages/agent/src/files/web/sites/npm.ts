// npm: a package with its facts and readme.

import { itemsAt, textAt, valueAt } from "./answer-fields.ts";
import { bullets, factLines, paragraphs, partsOf, requiredText, section } from "./page-text.ts";
import type { Site, SiteClient } from "./site.ts";

const REGISTRY = "https://registry.npmjs.org";

export const npm: Site = {
  name: "npm",
  api: [REGISTRY],
  read(url, ask) {
    if (!/^(?:www\.)?npmjs\.com$/.test(url.hostname)) return undefined;
    const [kind, ...rest] = partsOf(url);
    const length = rest[0]?.startsWith("@") ? 2 : 1;
    if (kind !== "package" || rest.length < length) return undefined;
    const version = rest[length] === "v" ? rest[length + 1] : undefined;
    return readPackage(rest.slice(0, length).join("%2F"), version, ask);
  },
};

async function readPackage(name: string, wanted: string | undefined, ask: SiteClient): Promise<string> {
  const answer = await ask.json(`${REGISTRY}/${name}`);
  const version = wanted ?? requiredText(answer, "dist-tags", "latest");
  const manifest = valueAt(answer, "versions", version);
  const names = (field: string): string =>
    bullets(Object.entries(valueAt(manifest, field) ?? {}).map(([dependency, range]) => `${dependency} ${range}`));
  const tags = Object.entries(valueAt(answer, "dist-tags") ?? {}).map(([tag, value]) => `${tag} ${value}`);
  return paragraphs(
    `# ${requiredText(answer, "name")} ${requiredText(manifest, "version")}`,
    textAt(manifest, "description") || textAt(answer, "description"),
    factLines({
      Deprecated: textAt(manifest, "deprecated"),
      License: textAt(manifest, "license"),
      Published: textAt(answer, "time", version),
      Tags: tags.join(", "),
      Node: textAt(manifest, "engines", "node"),
      Homepage: textAt(manifest, "homepage"),
      Repository: textAt(manifest, "repository", "url").replace(/^git\+|\.git$/g, ""),
      Maintainers: itemsAt(answer, "maintainers")
        .map((person) => textAt(person, "name"))
        .join(", "),
    }),
    section("## Dependencies", names("dependencies")),
    section("## Peer dependencies", names("peerDependencies")),
    section("## Readme", textAt(manifest, "readme") || textAt(answer, "readme")),
  );
}
