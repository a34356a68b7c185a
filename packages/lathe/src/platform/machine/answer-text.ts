// The text of an answer that is read whole, and how long it may be.

/** Throws once it is longer than `most` bytes: what is cut off in the middle is no answer. */
export async function answerText(body: AsyncIterable<Uint8Array>, most: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > most) throw new Error(`it sent more than ${most} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
