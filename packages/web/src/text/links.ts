// Which addresses in a text may become links.

const FOLLOWED = new Set(["http:", "https:", "mailto:"]);

/** The address as a browser would open it; undefined if it must stay text. */
export function safeAddress(given: string): string | undefined {
  if (!URL.canParse(given)) return undefined;
  const address = new URL(given);
  return FOLLOWED.has(address.protocol) ? address.href : undefined;
}
