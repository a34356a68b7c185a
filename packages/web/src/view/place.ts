// Which view the address names. It is in the fragment, which no server sees and no log keeps.

/** `code` is the code of a sign-in link. */
export type Place =
  | { readonly view: "sessions" }
  | { readonly view: "session"; readonly id: string }
  | { readonly view: "sign-in"; readonly code: string };

export function placeOf(fragment: string): Place {
  const [, session] = /^#\/s\/([^/]+)$/.exec(fragment) ?? [];
  if (session !== undefined) return { view: "session", id: decodeName(session) };
  const [, code] = /^#code=([\w-]+)$/.exec(fragment) ?? [];
  return code === undefined ? { view: "sessions" } : { view: "sign-in", code };
}

/** Users can type anything into the address bar; text that cannot be decoded names no session. */
function decodeName(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

export const addressOf = (id?: string): string => (id === undefined ? "#/" : `#/s/${encodeURIComponent(id)}`);
