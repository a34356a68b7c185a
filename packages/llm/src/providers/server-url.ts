// What people write as an address: a whole URL, or a host and a port as servers take them (`0.0.0.0`, `:11434`).

/** A word alone is more likely a slip than a host, and would be looked up for minutes. */
export const isBareWord = (written: string): boolean => /^(?!localhost\b)[^.:/]*(\/|$)/.test(written);

/** With a scheme and without a slash at the end. `usual`: address of a local server, whose port is taken when none is written. */
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
  // Where a server listens on every address, it is reached on this one.
  const reached = name === "0.0.0.0" ? "127.0.0.1" : name === "[::]" ? "[::1]" : name;
  return `${scheme}${reached}${port}${path}`;
}
