// Addresses that all lead to this machine or its private network, in every notation that programs understand, and
// recorders on the loopback that notice every visit. Everything that accesses the web is tried with them: none may be
// reached.

import { createSocket } from "node:dgram";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { LookUp } from "../../src/world/net/dial.ts";

/** Hosts as they are written in an address. */
const HOSTS: readonly string[] = [
  // The loopback: its names, and the address in all notations.
  ...[
    "localhost",
    "LOCALHOST",
    "localhost.",
    "a.localhost",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
  ],
  ...[
    "127.255.255.254",
    "2130706433",
    "0x7f000001",
    "0x7F.0.0.1",
    "0x7f.1",
    "017700000001",
    "0177.0.0.1",
    "0177.0x0.0.01",
  ],
  ...["0.0.0.0", "0", "0x0", "１２７.０.０.１", "127。0。0。1", "%31%32%37.0.0.1", "127%2e0%2e0%2e1"],
  ...["[::1]", "[0:0:0:0:0:0:0:1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]"],
  // The loopback inside of an IPv6 address: compatible, translated, NAT64, 6to4, Teredo (server, client), ISATAP.
  ...["[::127.0.0.1]", "[::7f00:1]", "[::ffff:0:127.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]"],
  ...["[64:ff9b:1::7f00:1]", "[2002:7f00:1::]", "[2002:7f00:1::1]", "[2001:0:7f00:1::]"],
  ...["[2001:0:4136:e378:8000:63bf:80ff:fffe]", "[2606:4700::5efe:7f00:1]", "[2606:4700::200:5efe:127.0.0.1]"],
  // Networks around the machine.
  ...["10.0.0.1", "0xa000001", "172.16.0.1", "172.31.255.255", "192.168.0.1", "169.254.169.254", "0xa9fea9fe"],
  ...["100.64.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "[::ffff:10.0.0.1]", "[64:ff9b::a9fe:a9fe]"],
  ...["[fe80::1]", "[fc00::1]", "[fd12:3456::1]", "[fec0::1]", "[ff02::1]"],
];

/** Names of a server that answers whatever it likes; the last one has a public address at first. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  "loopback.example": ["127.0.0.1"],
  "six.example": ["::1"],
  "mapped.example": ["::ffff:127.0.0.1"],
  "nat.example": ["64:ff9b::7f00:1"],
  "inside.example": ["10.0.0.1"],
  "metadata.example": ["169.254.169.254"],
  "all.example": ["127.0.0.1", "::1", "10.0.0.1"],
  "rebind.example": ["127.0.0.1"],
};

/** Answers of a hostile name server. `rebind.example` is looked up once before the connection. */
export const lookUpHostile: LookUp = async (name) =>
  (NAMES[name] ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));

export interface Recorders {
  /** The same for TCP and UDP, over IPv4 and IPv6. */
  readonly port: number;
  /** What they received. */
  readonly heard: string[];
  close(): void;
}

/** Listen on the loopback; their pages say "RECORDED". */
export async function startRecorders(): Promise<Recorders> {
  const heard: string[] = [];
  const serve = (family: string) =>
    createServer((request, response) => {
      heard.push(`${family} ${request.method} ${request.headers.host}${request.url}`);
      response.end("RECORDED");
    }).on("connection", () => heard.push(`${family} connection`));
  const [four, six] = [serve("IPv4"), serve("IPv6")];
  await new Promise<void>((resolve) => four.listen(0, "127.0.0.1", resolve));
  const { port } = four.address() as AddressInfo;
  const sockets = (["udp4", "udp6"] as const).map((kind) =>
    createSocket(kind, () => heard.push(kind)).on("error", () => {}),
  );
  // A machine without IPv6 can receive nothing there.
  six.on("error", () => {}).listen(port, "::1");
  sockets[0]!.bind(port, "127.0.0.1");
  sockets[1]!.bind(port, "::1");
  return {
    port,
    heard,
    close: () => {
      for (const one of [four, six, ...sockets]) one.close();
    },
  };
}

/** The address of a session's server that redirects: `/hop?left=2&to=…`. */
export function hopServer(): ReturnType<typeof createServer> {
  return createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? "/", "http://hop");
    const left = Number(searchParams.get("left"));
    const to = searchParams.get("to") ?? "";
    const location = left > 1 ? `/hop?left=${left - 1}&to=${encodeURIComponent(to)}` : to;
    response.writeHead([301, 302, 303, 307, 308][left % 5]!, { location }).end();
  });
}

/** Each is refused; with `hops` (the origin of an allowed server), also as the target of its redirects. */
export function hostileAddresses(port: number, hops?: string): readonly string[] {
  const direct = [...HOSTS, ...Object.keys(NAMES)].map((host) => `http://${host}:${port}/page`);
  if (hops === undefined) return direct;
  const targets = [
    ...["127.0.0.1", "2130706433", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "loopback.example"],
    "10.0.0.1",
  ];
  const chains = targets.flatMap((host, at) => [
    `http://${host}:${port}/page`,
    ...(at === 0 ? [`//127.1:${port}/`] : []),
  ]);
  return [...direct, ...chains.map((to, at) => `${hops}/hop?left=${(at % 3) + 1}&to=${encodeURIComponent(to)}`)];
}
