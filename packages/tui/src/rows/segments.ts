// Text cut into what a person sees as one character.

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const PART = 256;

/** The segmenter takes quadratic time in long texts, so it gets them in parts. A part's last cluster may go on: it begins the next part. */
export function* segmentsOf(text: string): Generator<{ text: string; offset: number }> {
  for (let start = 0, size = PART; start < text.length; ) {
    // Half of a surrogate pair would not be seen as what goes on with the cluster before it.
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
