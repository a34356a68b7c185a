// What HTML elements mean for the text of a page: data for the writer.

const names = (list: string): ReadonlySet<string> => new Set(list.split(" "));

/** They have no end tag. */
export const VOID = names("area base br col embed hr img input link meta param source track wbr");

/** Their content is not text of the page. */
export const IGNORED = names("script style nav noscript svg iframe title template object canvas");

/** They begin and end a line. */
export const BLOCKS = names(
  "address article aside caption center dd details dialog div dl dt fieldset figcaption figure footer form header " +
    "hgroup legend main menu optgroup option p search section select summary",
);

/** They are inline, and end at the latest with the item, cell or quotation. */
export const INLINE = names("a b strong i em cite dfn var s del strike code kbd samp tt");

export const MARKS: ReadonlyMap<string, string> = new Map(
  "b ** strong ** i _ em _ cite _ dfn _ var _ s ~~ del ~~ strike ~~"
    .split(/ (?=[a-z])/)
    .map((pair) => pair.split(" ") as [string, string]),
);

/** The programming language named in a class such as `language-js`. */
export function languageOf(attributes: ReadonlyMap<string, string>): string {
  return /(?:^|\s)lang(?:uage)?-([\w+#.-]+)/.exec(attributes.get("class") ?? "")?.[1] ?? "";
}

/** `leftOut`: element names, and classes with a leading dot. Void elements cannot be left out. */
export function isLeftOut(
  name: string,
  attributes: ReadonlyMap<string, string>,
  leftOut: ReadonlySet<string>,
): boolean {
  if (leftOut.size === 0 || VOID.has(name)) return false;
  if (leftOut.has(name)) return true;
  const classes = attributes.get("class");
  return classes?.split(/\s+/).some((one) => leftOut.has(`.${one}`)) ?? false;
}
