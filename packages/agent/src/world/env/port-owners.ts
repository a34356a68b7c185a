// Whose the programs are that listen on a port: of the one environment only, or also of others. All sockets of the port count,
// whatever address they are bound to, so that nobody can stand beside another program on the same port.

import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { childProcess } from "../process/child-process.ts";
import { findMarked, ownerMark } from "../process/marked.ts";
import { MARKED } from "../process/watchdog.ts";

/** For the machine that we run on. */
export class PortOwners {
  readonly #owner: string;
  /** Whether a socket is held by a process of ours. Looking through all processes takes long, and a socket does not change hands. */
  readonly #isOurs = new Map<string, boolean>();

  constructor(owner: string) {
    this.#owner = owner;
  }

  async owns(port: number): Promise<boolean> {
    const find = () => findMarked(ownerMark(this.#owner));
    if (process.platform !== "linux") {
      const [listeners, ours] = [await listenersByLsof(port), (await find()).map(String)];
      return listeners.length > 0 && listeners.every((one) => ours.includes(one));
    }
    const sockets = listeningSockets(port);
    if (sockets.some((socket) => !this.#isOurs.has(socket))) {
      const ours = new Set((await find()).flatMap(socketsOf));
      for (const socket of sockets) this.#isOurs.set(socket, ours.has(socket));
    }
    return sockets.length > 0 && sockets.every((socket) => this.#isOurs.get(socket));
  }
}

/** By their inodes, from the kernel's tables. */
function listeningSockets(port: number): string[] {
  const listens = new RegExp(`^ *\\d+: [0-9A-F]+:${hexPort(port)} [0-9A-F]+:0000 0A (?:\\S+ +){5}(\\d+)`, "gm");
  return ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) =>
    [...readIfThere(file).matchAll(listens)].map(([, inode]) => inode!),
  );
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return ""; // a kernel without IPv6
  }
}

function socketsOf(pid: number): string[] {
  try {
    const folder = `/proc/${pid}/fd`;
    return readdirSync(folder).flatMap(
      (name) => /^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${name}`))?.[1] ?? [],
    );
  } catch {
    return []; // it has ended, or closed a file in the meantime
  }
}

function listenersByLsof(port: number): Promise<string[]> {
  return new Promise((resolve) => {
    childProcess().execFile("lsof", ["-nP", `-iTCP:${port}`, "-sTCP:LISTEN", "-t"], (_error, stdout) =>
      resolve(stdout.split("\n").filter(Boolean)),
    );
  });
}

const hexPort = (port: number): string => port.toString(16).toUpperCase().padStart(4, "0");

/** The same in a shell elsewhere, by its exit code. Arguments: the port and both parts of a mark. */
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
