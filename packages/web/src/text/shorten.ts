// Texts that are longer than their place.

/** At most so many characters, the last one an ellipsis where some are missing. */
export function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`;
}
