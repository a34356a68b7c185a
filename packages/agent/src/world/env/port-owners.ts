// Which programs listen on a port: only those of this environment, or also others. All sockets of the port count,
// whatever address they are bound to, so that no program can share the port with another unnoticed.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { childProcess } from "../process/child-process.ts";
import { findMarked, ownerMark } from "../process/marks.ts";
import { MARKED } from "../process/watchdog.ts";

/** A descriptor of a process, and the socket behind it. */
interface Holder {
  readonly file: string;
  readonly link: string;
}

/** Checks ports of the local machine. */
export class PortOwners {
  readonly #owner: string;
  /** Whether one of our processes holds a socket. Scanning all processes is slow, and sockets do not change hands. */
  readonly #isOurs = new Map<string, boolean>();
  /**
   * Our sockets that receive connections to the port before any other: while one is held, the tables need not be read.
   */
  readonly #first = new Map<number, Holder>();

  constructor(owner: string) {
    this.#owner = owner;
  }

  async owns(port: number): Promise<boolean> {
    const find = () => findMarked(ownerMark(this.#owner));
    if (process.platform !== "linux") {
      const [listeners, ours] = [await listenersByLsof(port), (await find()).map(String)];
      return listeners.length > 0 && listeners.every((one) => ours.includes(one));
    }
    const first = this.#first.get(port);
    if (first && linkOf(first.file) === first.link) return true;
    this.#first.delete(port);
    const sockets = listeningSockets(port);
    if (sockets.some(({ link }) => !this.#isOurs.has(link))) {
      const ours = (await find()).flatMap(socketsOf);
      for (const { link, isFirst } of sockets) {
        const holder = ours.find((one) => one.link === link);
        this.#isOurs.set(link, holder !== undefined);
        if (holder && isFirst) this.#first.set(port, holder);
      }
    }
    const isOurs = sockets.length > 0 && sockets.every(({ link }) => this.#isOurs.get(link));
    if (!isOurs) this.#first.delete(port);
    return isOurs;
  }
}

interface ListeningSocket {
  readonly link: string;
  /** It is bound to an address that receives connections to 127.0.0.1. */
  readonly isFirst: boolean;
}

/** Read from the kernel's tables. */
function listeningSockets(port: number): ListeningSocket[] {
  const hex = port.toString(16).toUpperCase().padStart(4, "0");
  const listens = new RegExp(`^ *\\d+: ([0-9A-F]+):${hex} [0-9A-F]+:0000 0A (?:\\S+ +){5}(\\d+)`, "gm");
  return ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) =>
    [...readIfThere(file).matchAll(listens)].map(([, address = "", inode]) => ({
      link: `socket:[${inode}]`,
      isFirst: FIRST.includes(address),
    })),
  );
}

/** 127.0.0.1 in both byte orders, and the IPv4 wildcard address. */
const FIRST: readonly string[] = ["0100007F", "7F000001", "00000000"];

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return ""; // a kernel without IPv6
  }
}

function socketsOf(pid: number): Holder[] {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).flatMap((name) => {
      const link = linkOf(`${folder}/${name}`);
      return link?.startsWith("socket:") ? { file: `${folder}/${name}`, link } : [];
    });
  } catch {
    return []; // the process has ended
  }
}

function linkOf(file: string): string | undefined {
  try {
    return readlinkSync(file);
  } catch {
    return undefined; // the descriptor was closed, or its process has ended
  }
}

function listenersByLsof(port: number): Promise<string[]> {
  return new Promise((resolve) => {
    childProcess().execFile("lsof", ["-nP", `-iTCP:${port}`, "-sTCP:LISTEN", "-t"], (_error, stdout) =>
      resolve(stdout.split("\n").filter(Boolean)),
    );
  });
}

/** The same check in a remote shell, answered by its exit code. Arguments: the port and both parts of a mark. */
export const OWNS_PORT = `
${MARKED}
pids=$(marked "$2" "$3")
if [ -d /proc/self ]; then
  hex=$(printf %04X "$1")
  wanted=$(grep -hsE "^ *[0-9]+: [0-9A-F]+:$hex [0-9A-F]+:0000 0A " /proc/net/tcp /proc/net/tcp6 |
    while read -r _ _ _ _ _ _ _ _ _ inode _; do echo "socket:[$inode]"; done)
  found=$(for pid in $pids; do ls -l "/proc/$pid/fd"; done 2>/dev/null)
else
  wanted=$(lsof -nP -iTCP:"$1" -sTCP:LISTEN -t | while read -r pid; do echo "[$pid]"; done)
  found=$(for pid in $pids; do echo "[$pid]"; done)
fi
set -f
[ -n "$wanted" ] || exit 1
for one in $wanted; do
  printf '%s\\n' "$found" | grep -qF -- "$one" || exit 1
done`;
