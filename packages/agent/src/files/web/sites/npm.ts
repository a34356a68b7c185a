// npm: a package with its metadata and readme. We use jsDelivr, which serves the files of each package as published.

import type { JsonValue } from "@lathe/llm";
import { itemsAt, textAt, valueAt } from "./answer-fields.ts";
import { bullets, factLines, ifAnswered, paragraphs, partsOf, requiredText, section } from "./page-text.ts";
import type { Site, SiteClient } from "./site.ts";

const API = "https://data.jsdelivr.com";
const FILES = "https://cdn.jsdelivr.net";

export const npm: Site = {
  name: "npm",
  api: [API, FILES],
  read(url, ask) {
    if (!/^(?:www\.)?npmjs\.com$/.test(url.hostname)) return undefined;
    const [kind, ...rest] = partsOf(url);
    const length = rest[0]?.startsWith("@") ? 2 : 1;
    if (kind !== "package" || rest.length < length) return undefined;
    const version = rest[length] === "v" ? rest[length + 1] : undefined;
    return readPackage(rest.slice(0, length).join("/"), version, ask);
  },
};

async function readPackage(name: string, wanted = "latest", ask: SiteClient): Promise<string> {
  const { tags, version } = await resolveVersion(name, wanted, ask);
  const [manifest, readme] = await Promise.all([
    ask.json(`${FILES}/npm/${name}@${version}/package.json`),
    ifAnswered(readReadme(`${name}@${version}`, ask)),
  ]);
  const names = (field: string): string =>
    bullets(Object.entries(valueAt(manifest, field) ?? {}).map(([dependency, range]) => `${dependency} ${range}`));
  return paragraphs(
    `# ${requiredText(manifest, "name")} ${requiredText(manifest, "version")}`,
    textAt(manifest, "description"),
    factLines({
      License: textAt(manifest, "license"),
      Tags: tags.join(", "),
      Node: textAt(manifest, "engines", "node"),
      Homepage: textAt(manifest, "homepage"),
      Repository: textOrField(manifest, "repository", "url").replace(/^git\+|\.git$/g, ""),
      Author: textOrField(manifest, "author", "name"),
    }),
    section("## Dependencies", names("dependencies")),
    section("## Peer dependencies", names("peerDependencies")),
    section("## Readme", readme),
  );
}

interface Resolved {
  readonly tags: readonly string[];
  readonly version: string;
}

/** An npm page names a version or one of the package's tags. */
async function resolveVersion(name: string, wanted: string, ask: SiteClient): Promise<Resolved> {
  const versions = await ask.json(`${API}/v1/packages/npm/${name}`);
  const tags = Object.entries(valueAt(versions, "tags") ?? {}).map(([tag, value]) => `${tag} ${value}`);
  return { tags, version: textAt(versions, "tags", wanted) || wanted };
}

/** The list of files tells the spelling of its name. */
async function readReadme(release: string, ask: SiteClient): Promise<string | undefined> {
  const list = await ask.json(`${API}/v1/packages/npm/${release}?structure=flat`);
  const files = itemsAt(list, "files").map((file) => textAt(file, "name"));
  const readme = files.find((file) => /^\/readme(?:\.md|\.markdown|\.txt)?$/i.test(file));
  return readme === undefined ? undefined : ask.text(`${FILES}/npm/${release}${readme}`);
}

/** A field that package.json allows as a string or as an object with that string. */
const textOrField = (manifest: JsonValue, field: string, part: string): string =>
  textAt(manifest, field) || textAt(manifest, field, part);
