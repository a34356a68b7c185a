// Shortens texts that are too long for their place.

/** At most this many characters; the last one is an ellipsis if some were cut. */
export function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`;
}
