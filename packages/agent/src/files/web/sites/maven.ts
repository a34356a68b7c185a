// Maven Central: the versions of an artifact, and the project file of one.

import { fieldOf } from "../feed.ts";
import { itemsAt, numberAt, textAt } from "./answer-fields.ts";
import { bullets, dayOf, factLines, paragraphs, partsOf, requiredText, section } from "./page-text.ts";
import type { Site, SiteClient } from "./site.ts";
import { elementsIn, withoutElements } from "./xml.ts";

const SEARCH = "https://search.maven.org";
const FILES = "https://repo1.maven.org/maven2";

export const maven: Site = {
  name: "maven",
  api: [SEARCH, "https://repo1.maven.org"],
  read(url, ask) {
    if (url.hostname !== "central.sonatype.com" && url.hostname !== "search.maven.org") return undefined;
    const [kind, group, artifact, version] = partsOf(url);
    if (kind !== "artifact" || group === undefined || artifact === undefined) return undefined;
    return readArtifact(group, artifact, version, ask);
  },
};

async function readArtifact(group: string, artifact: string, wanted: string | undefined, ask: SiteClient) {
  const found = await ask.json(`${SEARCH}/solrsearch/select?q=g:${group}+AND+a:${artifact}&core=gav&rows=20&wt=json`);
  const versions = itemsAt(found, "response", "docs");
  const version = wanted ?? requiredText(versions[0], "v");
  const pom = await ask.text(
    `${FILES}/${group.replaceAll(".", "/")}/${artifact}/${version}/${artifact}-${version}.pom`,
  );
  // Data about a parent, a plugin or a person is not about this artifact.
  const own = withoutElements(pom, [
    "parent",
    "build",
    "dependencyManagement",
    "profiles",
    "developers",
    "contributors",
  ]);
  const about = withoutElements(own, ["dependencies", "licenses", "scm", "organization", "repositories"]);
  return paragraphs(
    `# ${group}:${artifact}:${version}`,
    fieldOf(about, "description"),
    factLines({
      Name: fieldOf(about, "name"),
      License: fieldOf(elementsIn(own, "licenses")[0] ?? "", "name"),
      Homepage: fieldOf(about, "url"),
      Source: fieldOf(elementsIn(own, "scm")[0] ?? "", "url"),
    }),
    section("## Dependencies", bullets(elementsIn(own, "dependency").map(dependencyLine))),
    section(
      "## Versions",
      bullets(versions.map((one) => `${textAt(one, "v")} (${dayOf((numberAt(one, "timestamp") ?? 0) / 1000)})`)),
    ),
  );
}

function dependencyLine(xml: string): string {
  const name = [fieldOf(xml, "groupId"), fieldOf(xml, "artifactId"), fieldOf(xml, "version")].filter(Boolean).join(":");
  const scope = fieldOf(xml, "scope");
  return scope === "" ? name : `${name} (${scope})`;
}
