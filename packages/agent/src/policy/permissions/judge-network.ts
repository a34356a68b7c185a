// What modes say about connections to the web. In `auto-edit` and `plan`, an address that was shown in the session
// needs no approval: it contains nothing of the session, so reading it reveals nothing (decision 0342). Rules are
// applied before this.

import type { Access } from "../../contract/tool.ts";
import { canonicalHost, isLoopbackHost } from "../../world/net/address.ts";
import { ask, FULL, forbiddenIn, type PartVerdict, type Policy, plainAsk } from "./verdict.ts";

type Network = Access & { readonly kind: "network" };

/** While planning, any web access that would need approval has to wait; undefined if the mode does not forbid it. */
export function networkInPlan(item: Network, policy: Policy): PartVerdict | undefined {
  if (item.closedPort !== undefined && !item.kept) {
    const forbidden = forbiddenIn("plan");
    return forbidden && { ...forbidden, reason: `Plan mode is on. ${closedBecause(item.closedPort)}.` };
  }
  const isOnlyRead = item.url !== undefined || item.chosen === true;
  const why = item.own || item.kept ? undefined : whyNotShown(item, policy);
  if (isOnlyRead && why === undefined) return undefined;
  const forbidden = forbiddenIn("plan");
  if (!forbidden || item.url === undefined || !policy.notShown) return forbidden;
  return { ...forbidden, reason: `Plan mode is on: only what was shown is read, and ${why}.` };
}

/** A rule for loopback would cover every port forever, so no rule answers this; undefined if the port is open. */
export function closedPortQuestion({ own, kept, closedPort }: Network): PartVerdict | undefined {
  if (own || kept || closedPort === undefined) return undefined;
  return ask(`${closedBecause(closedPort)}; your yes opens it for this session.`, ADDRESS);
}

export function networkByMode(item: Network, policy: Policy): PartVerdict {
  const { mode, notShown } = policy;
  const { url, own, kept, chosen } = item;
  if (own) return { decision: "allow", reason: "It is a server of this session.", isPlain: true };
  if (kept) return { decision: "allow", reason: "The page was read before, and nothing is sent.", isPlain: true };
  const plain = plainAsk(`Mode ${mode} asks before it connects to a host.`, wayFor(item));
  if (mode === "ask" || (url === undefined && !chosen)) return plain;
  const why = whyNotShown(item, policy);
  if (why !== undefined) return notShown ? ask(`${why[0]?.toUpperCase()}${why.slice(1)}.`, wayFor(item)) : plain;
  const reason = chosen ? "You chose this host." : "The address was shown, and it is only read.";
  return { decision: "allow", reason, isPlain: true };
}

const closedBecause = (port: number): string => `Port ${port} does not belong to a server of this session`;

/** The narrowest rule; a rule does not open a loopback port. If the text is not an address, it is itself the host. */
function wayFor({ host, url }: Network): string {
  if (!/^[\w.-]+$/.test(host) || (url !== undefined && !URL.canParse(url))) return FULL;
  return url !== undefined && isLoopbackHost(canonicalHost(host) ?? "") ? ADDRESS : `--allow 'network(${host})'`;
}

const ADDRESS = "its address in the prompt";

function whyNotShown({ url, chosen }: Network, { notShown }: Policy): string | undefined {
  if (chosen) return undefined;
  return url === undefined || !notShown ? "no address was shown" : notShown(url);
}
