// Checks and reads a picture that the user adds to the page, before it is sent anywhere.

export interface GivenPicture {
  readonly name: string;
  readonly mediaType: string;
  /** base64 */
  readonly data: string;
}

/** In one message: the server takes 24 MiB, and base64 is a third longer than its bytes. */
export const MOST_PICTURES = 8;
/** The server's limit, too: every vendor takes this much, which is 5 MiB of base64. */
const MOST_BYTES = (5 << 20) * 0.75;
export const MOST_BYTES_TOGETHER = 15 << 20;

/** Rejects with one line for the user. */
export async function readPicture(file: File): Promise<GivenPicture> {
  const name = file.name === "" ? "The picture" : file.name;
  if (file.size > MOST_BYTES) throw new Error(`${name} is too large. A picture may have 3.9 MB.`);
  const mediaType = typeOf(new Uint8Array(await file.slice(0, 12).arrayBuffer()));
  if (mediaType === undefined)
    throw new Error(`${name} is no picture that models read. Attach PNG, JPEG, GIF or WebP.`);
  return { name, mediaType, data: await base64(file) };
}

/** Looks at the first bytes: file names and the types that browsers derive from them may be wrong. */
function typeOf(bytes: Uint8Array): string | undefined {
  const text = String.fromCharCode(...bytes);
  if (text.startsWith("\x89PNG\r\n")) return "image/png";
  if (text.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (/^GIF8[79]a/.test(text)) return "image/gif";
  return /^RIFF[\s\S]{4}WEBP/.test(text) ? "image/webp" : undefined;
}

function base64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ""));
    reader.onerror = () => reject(new Error(`${file.name} could not be read.`));
    reader.readAsDataURL(file);
  });
}
