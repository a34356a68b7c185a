// Parses an address as people write it: a whole URL, or a host and a port as servers accept them (`0.0.0.0`, `:11434`).

/** A bare word is more likely a typo than a host, and looking it up could take minutes. */
export const isBareWord = (written: string): boolean => /^(?!localhost\b)[^.:/]*(\/|$)/.test(written);

/**
 * Adds a scheme and removes a trailing slash. `usual`: address of a local server, whose port is used if none is
 * written.
 */
export function serverUrl(written: string, usual?: string): string {
  const isBare = !written.includes("://");
  const text = (isBare ? `http://${written.startsWith(":") ? "127.0.0.1" : ""}${written}` : written).replace(
    /\/+$/,
    "",
  );
  if (usual === undefined) return text;
  const [, scheme = "", host = "", path = ""] = /^([a-z]+:\/\/)([^/]*)(.*)$/i.exec(text) ?? [];
  const name = host.replace(/:\d+$/, "");
  const port = /:\d+$/.exec(host)?.[0] ?? (isBare ? (/:\d+/.exec(usual.slice("http://".length))?.[0] ?? "") : "");
  // A server that listens on every address can be reached at this one.
  const reached = name === "0.0.0.0" ? "127.0.0.1" : name === "[::]" ? "[::1]" : name;
  return `${scheme}${reached}${port}${path}`;
}
