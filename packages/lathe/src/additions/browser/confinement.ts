// Confines Chromium: bubblewrap shows it the system's programs, fonts and certificates, and nothing of the user's. Its
// network has one bridge, which leads to the sockets in one folder: one per tab.

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ConfinedStart, Confinement, ProgramArgv } from "@lathe/agent/world";

export const BRIDGE_PORT = 3128;
/** A folder below the one of the sockets: the only one outside that the browser can write to. */
export const DOWNLOADS = "downloads";
const BWRAP = "/usr/bin/bwrap";
export const INSIDE = "/run/lathe";
const HOME = "/tmp/home";
/** Chromium's sandbox refuses to run as root, and inside bubblewrap it need not be root. */
const USER = "1000";

/**
 * Runs inside: it connects each address to the socket with the same name. Arguments: the folder of the sockets, the
 * port.
 */
const BRIDGE_SCRIPT = `
const net = require("node:net");
const [folder, port] = process.argv.slice(1);
net.createServer((inside) => {
  const outside = net.connect(folder + "/" + inside.localAddress);
  for (const [a, b] of [[inside, outside], [outside, inside]]) { a.pipe(b); a.on("error", () => b.destroy()); a.on("close", () => b.destroy()); }
}).listen(Number(port), "0.0.0.0", () => console.log("ready"));`;

/**
 * Starts the bridge and, once it listens, the browser, which speaks over its input and output; everything ends with the
 * browser. The bridge must not share these pipes: node makes pipes that it shares non-blocking, and Chromium drops its
 * connection when a long message does not fit at once. Arguments: node, the bridge and its arguments, the browser.
 */
const START_SCRIPT = `mkfifo /tmp/ready
"$1" -e "$2" "$3" "$4" </dev/null >/tmp/ready &
read -r ready </tmp/ready
shift 4
exec "$@" 3<&0 4>&1 </dev/null >/dev/null`;

/** Shows by its exit code whether programs can be confined here; it prints nothing and does nothing. */
export const CONFINEMENT_PROBE: ProgramArgv = [
  BWRAP,
  ...["--unshare-user", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"],
  ...["--", "/bin/true"],
];

/**
 * System folders that the browser sees: libraries, fonts, certificates, and the settings of Chromium's launcher and
 * policies.
 */
const SHOWN = [
  ...["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt/google", "/nix/store", "/run/current-system"],
  ...[
    "fonts",
    "ssl",
    "ca-certificates",
    "pki",
    "alternatives",
    "ld.so.cache",
    "localtime",
    "chromium",
    "chromium.d",
  ].map((name) => `/etc/${name}`),
  ...["/etc/opt/chrome", "/var/cache/fontconfig"],
];

export interface BrowserConfinementOptions {
  /** The node that runs the bridge. */
  readonly node: string;
  /** Variables that a window needs; undefined if headless. */
  readonly screen?: Readonly<Record<string, string>> | undefined;
}

export class BrowserConfinement implements Confinement {
  readonly starters = new Set(["bwrap"]);
  readonly hasOwnNetwork = true;
  readonly privateFolders = [];
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-browser-")));
  readonly #options: BrowserConfinementOptions;

  constructor(options: BrowserConfinementOptions) {
    this.#options = options;
  }

  async ready(): Promise<void> {}

  /** @param argv the browser and its flags */
  confine([program, ...flags]: ProgramArgv, { env }: { readonly env: Record<string, string> }): ConfinedStart {
    const { node, screen = {} } = this.#options;
    const folder = dirname(realpathSync(program));
    const variables = { ...env, ...screen, HOME, TMPDIR: "/tmp" };
    const { XAUTHORITY } = screen;
    return {
      argv: [
        BWRAP,
        ...["--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"],
        ...["--uid", USER, "--gid", USER, "--cap-drop", "ALL", "--new-session", "--die-with-parent"],
        ...SHOWN.flatMap((path) => ["--ro-bind-try", path, path]),
        ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--dir", HOME],
        ...(folder.startsWith("/usr/") ? [] : ["--ro-bind", folder, folder]),
        ...["--ro-bind", node, `${INSIDE}/node`, "--ro-bind", this.folder, `${INSIDE}/tabs`],
        ...["--bind", join(this.folder, DOWNLOADS), `${INSIDE}/${DOWNLOADS}`],
        ...("DISPLAY" in screen ? ["--ro-bind-try", "/tmp/.X11-unix", "/tmp/.X11-unix"] : []),
        ...(XAUTHORITY ? ["--ro-bind-try", XAUTHORITY, XAUTHORITY] : []),
        ...["--remount-ro", "/", "--chdir", HOME, "--clearenv"],
        ...Object.entries(variables).flatMap(([name, value]) => ["--setenv", name, value]),
        ...["--", "/bin/sh", "-c", START_SCRIPT, "lathe-browser"],
        ...[`${INSIDE}/node`, BRIDGE_SCRIPT, `${INSIDE}/tabs`, String(BRIDGE_PORT)],
        ...[program, `--user-data-dir=${HOME}/profile`, ...flags],
      ],
      env: { PATH: "/usr/bin:/bin" },
      cwd: "/",
    };
  }

  hostPath(path: string): string {
    return path;
  }

  insidePath(path: string): string {
    return path;
  }

  isPrivate(): boolean {
    return false;
  }

  explain(): undefined {
    return undefined;
  }

  async end(): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
