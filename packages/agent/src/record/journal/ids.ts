const DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz";

/** Entry ids of 8 characters from a source of uniform numbers in [0, 1). */
export function idSource(random: () => number): () => string {
  return () => {
    let id = "";
    for (let at = 0; at < 8; at++) id += DIGITS[Math.floor(random() * DIGITS.length)];
    return id;
  };
}
