// Which addresses belong to the machine or its private network, and which are loopback. Callers pass the resolved
// address, so that a public name cannot point inside.

import { isIP, isIPv4, isIPv6 } from "node:net";

const PRIVATE_V4: readonly (readonly [number, number])[] = [
  [ip4("0.0.0.0"), 8],
  [ip4("10.0.0.0"), 8],
  [ip4("100.64.0.0"), 10],
  [ip4("127.0.0.0"), 8],
  [ip4("169.254.0.0"), 16],
  [ip4("172.16.0.0"), 12],
  [ip4("192.0.0.0"), 24],
  [ip4("192.0.2.0"), 24],
  [ip4("192.168.0.0"), 16],
  [ip4("198.18.0.0"), 15],
  [ip4("198.51.100.0"), 24],
  [ip4("203.0.113.0"), 24],
  [ip4("224.0.0.0"), 3],
];

const PRIVATE_V6: readonly (readonly [bigint, bigint])[] = [
  ["::", 96], // unspecified, loopback, IPv4-compatible
  ["64:ff9b:1::", 48], // NAT64 within a network
  ["2001::", 32], // Teredo: contains the IPv4 addresses of its server and client
  ["2001:db8::", 32], // documentation range, which only a private network can use
  ["2002::", 16], // 6to4: contains any IPv4 address
  ["3fff::", 20], // documentation range
  ["fc00::", 7], // unique local
  ["fe80::", 10], // link local
  ["fec0::", 10], // site local
  ["ff00::", 8], // multicast
].map(([network, bits]) => [ip6(network as string), BigInt(128 - (bits as number))] as const);

const MAPPED = ip6("::ffff:0:0") >> 32n;

/**
 * IPv4 addresses written as IPv6: mapped, translated, and by NAT64 for networks without IPv4. They are judged by the
 * IPv4 address they contain.
 */
const HOLD_V4: readonly bigint[] = [MAPPED, ip6("::ffff:0:0:0") >> 32n, ip6("64:ff9b::") >> 32n];

/** The middle of ISATAP addresses, which hold an IPv4 address in any network. */
const ISATAP: readonly bigint[] = [0x5efen, 0x2005efen];

/** `own`: addresses of this machine's interfaces, which may be public. */
export function isPrivateAddress(address: string, own: readonly string[] = []): boolean {
  if (isAmong(address, own)) return true;
  if (isIPv4(address)) return isPrivateV4(ip4(address));
  // A zone names an interface of this machine.
  if (!isIPv6(address) || address.includes("%")) return true;
  const value = ip6(address);
  const held = heldV4(value);
  if (held !== undefined && isPrivateV4(held)) return true;
  return PRIVATE_V6.some(([network, rest]) => value >> rest === network >> rest);
}

/** Whether an address is in the list, in any notation. */
export function isAmong(address: string, addresses: readonly string[]): boolean {
  const value = numberOf(address);
  return value !== undefined && addresses.some((one) => numberOf(one) === value);
}

/** An IPv4 address and the IPv6 addresses that contain it are equal. */
function numberOf(address: string): number | bigint | undefined {
  if (isIPv4(address)) return ip4(address);
  const bare = address.replace(/%.*/, "");
  if (!isIPv6(bare)) return undefined;
  const value = ip6(bare);
  return heldV4(value) ?? value;
}

function heldV4(value: bigint): number | undefined {
  const holds = HOLD_V4.includes(value >> 32n) || ISATAP.includes((value >> 32n) & 0xffffffffn);
  return holds ? Number(value & 0xffffffffn) : undefined;
}

/**
 * A host in canonical form: numbers in any notation become an address; names lose capitals, full-width letters and a
 * trailing dot. Undefined if it is not a valid host.
 */
export function canonicalHost(host: string): string | undefined {
  const bare = host.replace(/^\[(.*)\]$/, "$1");
  const address = `http://${bare.includes(":") ? `[${bare}]` : bare}/`;
  if (/[/?#@\\\s%]/.test(bare) || !URL.canParse(address)) return undefined;
  const { hostname } = new URL(address);
  return hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "") || undefined;
}

/** A canonical host as written in a URL. */
export const urlHost = (host: string): string => (host.includes(":") ? `[${host}]` : host);

/** Whether a canonical host is loopback by its own text: an address, `localhost` or a name below it. */
export function isLoopbackHost(host: string): boolean {
  if (host === "localhost" || host.endsWith(".localhost")) return true;
  if (isIPv4(host)) return isLoopbackV4(ip4(host));
  if (!isIPv6(host) || host.includes("%")) return false;
  const value = ip6(host);
  return value <= 1n || (value >> 32n === MAPPED && isLoopbackV4(Number(value & 0xffffffffn)));
}

/** Names that a hosts file maps to the loopback. */
export function loopbackNames(hostsFile: string): ReadonlySet<string> {
  const lines = hostsFile.split("\n").map((line) => line.replace(/#.*/, "").trim().split(/\s+/));
  return new Set(
    lines.flatMap(([address = "", ...names]) =>
      isIP(address) !== 0 && isLoopbackHost(address) ? names.flatMap((name) => canonicalHost(name) ?? []) : [],
    ),
  );
}

/** A connection to the unspecified address reaches loopback, and servers print it as their own. */
const isLoopbackV4 = (value: number): boolean => value >>> 24 === 127 || value === 0;

function isPrivateV4(value: number): boolean {
  return PRIVATE_V4.some(([network, bits]) => value >>> (32 - bits) === network >>> (32 - bits));
}

function ip4(address: string): number {
  return address.split(".").reduce((value, part) => value * 256 + Number(part), 0) >>> 0;
}

/** Reads a valid address without a zone. */
function ip6(address: string): bigint {
  const [, front = "", dotted = ""] = /^(.*?)(\d+\.\d+\.\d+\.\d+)?$/.exec(address) ?? [];
  const last = dotted === "" ? "" : `${(ip4(dotted) >>> 16).toString(16)}:${(ip4(dotted) & 0xffff).toString(16)}`;
  const [head, tail] = `${front}${last}`.split("::");
  const left = groups(head);
  const right = groups(tail);
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => 0);
  return [...left, ...zeros, ...right].reduce((value, group) => (value << 16n) | BigInt(group), 0n);
}

function groups(text: string | undefined): number[] {
  return (text ?? "")
    .split(":")
    .filter((group) => group !== "")
    .map((group) => Number.parseInt(group, 16));
}
