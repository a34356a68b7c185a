// Which addresses belong to the machine or its private network. Judged on what a name resolved to, so that a public name
// cannot point inside.

import { isIPv4, isIPv6 } from "node:net";

const PRIVATE_V4: readonly (readonly [number, number])[] = [
  [ip4("0.0.0.0"), 8],
  [ip4("10.0.0.0"), 8],
  [ip4("100.64.0.0"), 10],
  [ip4("127.0.0.0"), 8],
  [ip4("169.254.0.0"), 16],
  [ip4("172.16.0.0"), 12],
  [ip4("192.0.0.0"), 24],
  [ip4("192.168.0.0"), 16],
  [ip4("198.18.0.0"), 15],
  [ip4("224.0.0.0"), 3],
];

export function isPrivateAddress(address: string): boolean {
  if (isIPv4(address)) {
    const value = ip4(address);
    return PRIVATE_V4.some(([network, bits]) => value >>> (32 - bits) === network >>> (32 - bits));
  }
  if (!isIPv6(address)) return true;
  const lower = address.toLowerCase();
  const mapped = /^(?:::ffff:|64:ff9b::)(\d+\.\d+\.\d+\.\d+)$/.exec(lower)?.[1] ?? behindNat64(lower);
  if (mapped) return isPrivateAddress(mapped);
  // ::, ::1, IPv4-mapped in hex, unique local, link local, multicast
  return /^(::|::1|::ffff:.*|f[cd].*|fe[89ab].*|ff.*)$/.test(lower);
}

/** The IPv4 address that a name server put into 64:ff9b::/96 for networks without IPv4. */
function behindNat64(address: string): string | undefined {
  const [, high, low] = /^64:ff9b::(?:([\da-f]{1,4}):)?([\da-f]{1,4})$/.exec(address) ?? [];
  if (low === undefined) return undefined;
  return [high ?? "0", low]
    .flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255])
    .join(".");
}

function ip4(address: string): number {
  return address.split(".").reduce((value, part) => value * 256 + Number(part), 0) >>> 0;
}
