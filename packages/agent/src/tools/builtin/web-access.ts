// What a tool declares that reads an address of the web.

import type { Access, CallScope } from "../../contract/tool.ts";
import "../../files/web/services.ts";

/** What is no address is refused when it is fetched; until then its text is used as the host. */
export async function webAccess(
  url: string,
  { services }: Pick<CallScope, "services">,
): Promise<Access & { kind: "network" }> {
  if (!URL.canParse(url)) return { kind: "network", host: url, url };
  const { hostname, port, protocol } = new URL(url);
  const own = await services.web?.gate.isOwn(hostname, Number(port) || (protocol === "https:" ? 443 : 80));
  return { kind: "network", host: hostname, url, ...(own ? { own } : {}) };
}
