// Bytes to base64 and back, and the bytes of `data:` addresses.

/** Works without Buffer too, because this package runs in browsers over `fetch`. */
export function toBase64(data: Uint8Array): string {
  if (typeof Buffer === "function") {
    return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");
  }
  let binary = "";
  for (let at = 0; at < data.length; at += 0x8000) binary += String.fromCharCode(...data.subarray(at, at + 0x8000));
  return btoa(binary);
}

function ofBase64(base64: string): Uint8Array {
  if (typeof Buffer === "function") return Buffer.from(base64, "base64");
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** Decodes base64 to text. */
export function textOfBase64(base64: string): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(ofBase64(base64));
}

/** The bytes in a `data:` address; undefined if it is malformed. */
export function readDataUrl(url: string): { readonly data: Uint8Array; readonly mediaType?: string } | undefined {
  const comma = url.indexOf(",");
  if (comma < 0) return undefined;
  const [mediaType, ...parameters] = url.slice("data:".length, comma).split(";");
  const content = url.slice(comma + 1);
  try {
    const data =
      parameters.at(-1) === "base64" ? ofBase64(content) : new TextEncoder().encode(decodeURIComponent(content));
    return { data, ...(mediaType ? { mediaType } : {}) };
  } catch {
    return undefined;
  }
}
