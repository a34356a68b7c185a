// Addresses of links and images as Markdown shows them: absolute, so that a reader can request exactly what it saw.

/** Undefined for an address that only a browser could follow. A link within the page stays short. */
export function linkAddress(text: string, base: string | undefined): string | undefined {
  const address = text.trim();
  if (/^(?:javascript|data|vbscript|blob):/i.test(address)) return undefined;
  const whole = address.startsWith("#") || base === undefined ? address : resolveAddress(address, base);
  return whole.replace(/[\s()]/g, (letter) => ({ "(": "%28", ")": "%29" })[letter] ?? encodeURIComponent(letter));
}

/** Returns the text itself if it is not a valid address. */
export function resolveAddress(address: string, base: string): string {
  try {
    return new URL(address, base).href;
  } catch {
    return address;
  }
}
