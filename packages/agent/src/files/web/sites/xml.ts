// Elements without attributes in XML, found in linear time, because the XML comes from outside and may be malicious.

/** The content of each; a nested element of the same name ends the outer one. */
export function elementsIn(xml: string, tag: string): readonly string[] {
  const [, ...parts] = xml.split(`<${tag}>`);
  return parts.map((part) => part.split(`</${tag}>`, 1)[0]!);
}

/** The XML without these elements. An element without an end stays. */
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
