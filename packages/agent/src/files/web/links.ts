// The addresses that a text shows, absolute and normalised, so that two are equal exactly when they send the same
// request.

/** Per text; the rest of a longer list counts as not shown. */
const MOST_LINKS = 500;

const ABSOLUTE = /\bhttps?:\/\/[^\s<>"`\\|{}^]+/gi;
/** The target of a Markdown link, which may contain one pair of parentheses. */
const MARKDOWN = /\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)/g;
const ATTRIBUTE = /\bhref\s*=\s*(?:"([^"\s]+)"|'([^'\s]+)'|([^\s"'>]+))/gi;
/** Punctuation or mark-up after an address, which is not part of it. */
const AFTER = /[.,;:!?'"*_~)\]]+$/;

/** `base`: the address of the text itself, for relative links. */
export function linksIn(text: string, base?: string): string[] {
  const found = new Set<string>();
  const add = (link: string, from?: string): void => {
    const address = found.size < MOST_LINKS ? addressKey(link, from) : undefined;
    if (address !== undefined) found.add(address);
  };
  if (base !== undefined) {
    for (const [, target = ""] of text.matchAll(MARKDOWN)) if (target !== "") add(target, base);
    for (const [, ...forms] of text.matchAll(ATTRIBUTE)) add(forms.find(Boolean)?.replaceAll("&amp;", "&") ?? "", base);
  }
  for (const [address] of text.matchAll(ABSOLUTE)) {
    add(address);
    add(address.replace(AFTER, ""));
    // A closing parenthesis of a bracketed link or a sentence ends the address.
    add(address.split(")")[0] ?? "");
  }
  return [...found];
}

/** The address as it is sent: without its fragment. Undefined if it is not a web address. */
export function addressKey(address: string, base?: string): string | undefined {
  if (!URL.canParse(address, base)) return undefined;
  const url = new URL(address, base);
  if (!/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return undefined;
  url.hash = "";
  return url.href;
}
