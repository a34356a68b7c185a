// The addresses that a text shows, whole and in one form, so that two of them are equal exactly when the same request is sent.

/** Of one text; the rest of a longer list counts as not shown. */
const MOST_LINKS = 500;

const ABSOLUTE = /\bhttps?:\/\/[^\s<>"`\\|{}^]+/gi;
/** The target of a Markdown link, which may have one pair of parentheses in it. */
const MARKDOWN = /\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*)/g;
const ATTRIBUTE = /\bhref\s*=\s*(?:"([^"\s]+)"|'([^'\s]+)'|([^\s"'>]+))/gi;
/** Belongs to the sentence around an address, or to its mark-up. */
const AFTER = /[.,;:!?'"*_~)\]]+$/;

/** `base`: the address of the text itself, for links that begin at it. */
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
    // One closing parenthesis of a link in brackets, or of a sentence, is not part of it; what follows is not either.
    add(address.split(")")[0] ?? "");
  }
  return [...found];
}

/** The address as it is sent: without its fragment, which never leaves. Undefined for what is no address of the web. */
export function addressKey(address: string, base?: string): string | undefined {
  if (!URL.canParse(address, base)) return undefined;
  const url = new URL(address, base);
  if (!/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return undefined;
  url.hash = "";
  return url.href;
}
