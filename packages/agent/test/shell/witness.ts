// Runs commands in a folder of their own and says, by strace, which files each has opened, made or removed, which programs it has
// started and whether it has spoken to a network.

import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";

export interface Deeds {
  readonly read: readonly string[];
  readonly written: readonly string[];
  readonly started: readonly string[];
  readonly connected: readonly string[];
}

const TRACED =
  "execve,open,openat,creat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,rmdir,symlink,symlinkat,link,linkat,truncate,chmod,fchmodat,utimensat,mknod,mknodat,connect,sendto";

export class Witness {
  readonly cwd: string;
  readonly outside: string;
  readonly #log: string;
  readonly #env: Record<string, string>;

  constructor(folder: string) {
    this.cwd = join(folder, "work");
    this.outside = join(folder, "outside");
    this.#log = join(folder, "trace");
    this.#env = {
      PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
      HOME: join(folder, "home"),
      TMPDIR: join(folder, "tmp"),
      LC_ALL: "C",
      GIT_CONFIG_NOSYSTEM: "1",
    };
    mkdirSync(this.#env["HOME"] as string, { recursive: true });
    mkdirSync(join(folder, "tmp"));
    mkdirSync(this.outside);
    writeFileSync(join(this.outside, "secret"), "key\n");
    writeFileSync(join(this.outside, "run"), "#!/bin/sh\necho started\n");
    chmodSync(join(this.outside, "run"), 0o755);
    this.reset();
  }

  /** The folder as every command finds it: a small repository. */
  reset(): void {
    rmSync(this.cwd, { recursive: true, force: true });
    mkdirSync(join(this.cwd, "sub"), { recursive: true });
    for (const name of ["a.txt", "x", "1", "5", "sub/b.txt"]) writeFileSync(join(this.cwd, name), "a 1\nb 2\n");
    const git = (...args: string[]) => execFileSync("git", args, { cwd: this.cwd, env: this.#env });
    git("init", "-q", "-b", "main");
    git("add", "-A");
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first");
  }

  run(command: string): Deeds {
    const limited = 'ulimit -t 5 -f 2000; exec /bin/bash -c "$1"';
    const arguments_ = [
      "-f",
      "-y",
      "-qq",
      "-s",
      "4096",
      "-e",
      `trace=${TRACED}`,
      "-o",
      this.#log,
      "/bin/bash",
      "-c",
      limited,
    ];
    spawnSync("strace", [...arguments_, "limits", command], {
      cwd: this.cwd,
      env: this.#env,
      input: "a 1\nb 2\n",
      timeout: 20_000,
      killSignal: "SIGKILL",
    });
    return this.#deeds(readFileSync(this.#log, "utf8"));
  }

  #deeds(trace: string): Deeds {
    const [read, written, started, connected]: string[][] = [[], [], [], []];
    for (const line of trace.split("\n")) {
      const [, call = "", given = "", result = ""] = /^\d+\s+(\w+)\((.*?)\)?\s*=\s*(-?\d+|\?)/.exec(line) ?? [];
      // `5</etc>, "passwd"`: relative to an open folder.
      const paths = [...given.matchAll(/(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"/g)].map(
        ([, base = this.cwd, path = ""]) => posix.resolve(base, path),
      );
      if (call === "" || result.startsWith("-")) continue;
      if (call === "execve") started?.push(paths[0] ?? "");
      else if (/^(?:connect|sendto)$/.test(call)) {
        if (/AF_INET/.test(given)) connected?.push(given);
      } else if (/^(?:open|openat)$/.test(call) && !/O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(given)) {
        if (!given.includes("O_DIRECTORY")) read?.push(paths[0] ?? "");
      } else written?.push(...paths);
    }
    return { read: read ?? [], written: written ?? [], started: started ?? [], connected: connected ?? [] };
  }
}
