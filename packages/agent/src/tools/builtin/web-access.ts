// The access that a tool declares if it reads a web address or connects to a host.

import type { Access, CallScope } from "../../contract/tool.ts";
import "../../files/web/services.ts";

/** Text that is no address is refused when it is fetched; until then it is used as the host. */
export async function webAccess(
  url: string,
  { services }: Pick<CallScope, "services">,
): Promise<Access & { kind: "network" }> {
  if (!URL.canParse(url)) return { kind: "network", host: url, url };
  return { ...(await hostAccess(new URL(url), { services })), url };
}

/** The host alone, because more than an address is sent there. */
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
