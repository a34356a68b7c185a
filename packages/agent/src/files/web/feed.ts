// An RSS or Atom feed as a list of its entries.

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Undefined if the text is not a feed. */
export function feedText(xml: string): string | undefined {
  if (!/<(?:rss|feed|rdf:RDF)\b/i.test(xml.slice(0, 2_000))) return undefined;
  const [head = "", ...items] = xml.split(/<(?:item|entry)\b/i);
  const lines = [`# ${fieldOf(head, "title") || "Feed"}`];
  for (const item of items.slice(0, 200)) {
    const link = fieldOf(item, "link") || /<link\b[^>]*\bhref\s*=\s*["']([^"']+)/i.exec(item)?.[1] || "";
    const when = fieldOf(item, "pubDate") || fieldOf(item, "updated") || fieldOf(item, "published");
    const about = fieldOf(item, "description") || fieldOf(item, "summary");
    lines.push("", `## ${fieldOf(item, "title") || "(no title)"}`);
    if (link !== "") lines.push(decodeText(link));
    if (when !== "") lines.push(when);
    if (about !== "") lines.push(about.slice(0, 600));
  }
  return lines.join("\n");
}

/** The text of the first element with this name; "" if there is none. */
export function fieldOf(xml: string, tag: string): string {
  const open = new RegExp(`<${tag}\\b[^>]{0,500}>`, "i").exec(xml);
  if (!open) return "";
  const from = open.index + open[0].length;
  const to = xml.toLowerCase().indexOf(`</${tag.toLowerCase()}>`, from);
  if (to < 0) return "";
  const inner = xml.slice(from, to).trim();
  const [, data] = /^<!\[CDATA\[([\s\S]*)\]\]>$/.exec(inner) ?? [];
  return decodeText(
    (data ?? decodeText(inner))
      .replace(/<[^>]{0,2000}>/g, " ")
      .replace(/\s+/g, " ")
      .trim(),
  );
}

const decodeText = (text: string): string =>
  text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,5}));/gi, (whole, decimal, hex, name: string | undefined) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
