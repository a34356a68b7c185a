// Splits text into graphemes, the units that users see as one character.

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const PART = 256;

/**
 * The segmenter takes quadratic time in long texts, so it gets them in parts. The last cluster of a part may be
 * incomplete, so it begins the next part.
 */
export function* segmentsOf(text: string): Generator<{ text: string; offset: number }> {
  for (let start = 0, size = PART; start < text.length; ) {
    // Never end a part inside a surrogate pair: the half would not join the cluster before it.
    const part = text.slice(start, start + size + (isHighSurrogate(text, start + size - 1) ? 1 : 0));
    const isLast = start + part.length === text.length;
    let next = 0;
    for (const { segment, index } of segmenter.segment(part)) {
      if (!isLast && index + segment.length === part.length) break;
      yield { text: segment, offset: start + index };
      next = index + segment.length;
    }
    size = next === 0 ? size * 2 : PART;
    start += next;
  }
}

const isHighSurrogate = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 0xd800 && code <= 0xdbff;
};
