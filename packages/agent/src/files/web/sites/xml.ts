// Elements without attributes in XML, found in time in proportion to its size: people write it, and may mean harm.

/** What is inside of each; one inside another of its name ends the outer one. */
export function elementsIn(xml: string, tag: string): readonly string[] {
  const [, ...parts] = xml.split(`<${tag}>`);
  return parts.map((part) => part.split(`</${tag}>`, 1)[0]!);
}

/** The XML without these elements. One that has no end stays. */
export function withoutElements(xml: string, tags: readonly string[]): string {
  let rest = xml;
  for (const tag of tags) {
    const [before = "", ...parts] = rest.split(`<${tag}>`);
    const after = parts.map((part) => {
      const end = part.indexOf(`</${tag}>`);
      return end < 0 ? part : part.slice(end + tag.length + 3);
    });
    rest = before + after.join("");
  }
  return rest;
}
