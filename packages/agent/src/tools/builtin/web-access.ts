// What a tool declares that reads an address of the web, or connects to a host of it.

import type { Access, CallScope } from "../../contract/tool.ts";
import "../../files/web/services.ts";

/** What is no address is refused when it is fetched; until then its text is used as the host. */
export async function webAccess(
  url: string,
  { services }: Pick<CallScope, "services">,
): Promise<Access & { kind: "network" }> {
  if (!URL.canParse(url)) return { kind: "network", host: url, url };
  return { ...(await hostAccess(new URL(url), { services })), url };
}

/** The host alone: what is sent there is more than an address. */
export async function hostAccess(
  { hostname: host, port: named, protocol }: URL,
  { services }: Pick<CallScope, "services">,
): Promise<Access & { kind: "network" }> {
  const gate = services.web?.gate;
  const port = Number(named) || (protocol === "https:" ? 443 : 80);
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  if (await gate?.isOwn(bare, port)) return { kind: "network", host, own: true };
  return { kind: "network", host, ...((await gate?.isClosed(bare, port)) ? { closedPort: port } : {}) };
}
