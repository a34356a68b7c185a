// Reads the whole body of a response as text, up to a limit.

/** Throws as soon as the body is longer than `most` bytes: a truncated body would be useless. */
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
