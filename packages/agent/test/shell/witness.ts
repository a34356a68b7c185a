// Runs commands in their own folder and reports, with strace, which files each has opened, created or removed, which
// programs it has started and whether it used a network.

import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";

export interface Deeds {
  readonly read: readonly string[];
  readonly written: readonly string[];
  readonly started: readonly string[];
  readonly connected: readonly string[];
}

const STARTS = "clone,clone3,fork,vfork";
const TRACED = `${STARTS},chdir,fchdir,execve,execveat,open,openat,openat2,creat,mkdir,mkdirat,rename,renameat,renameat2,unlink,unlinkat,rmdir,symlink,symlinkat,link,linkat,truncate,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,setxattr,lsetxattr,utimensat,mknod,mknodat,bind,connect,sendto,sendmsg,sendmmsg`;

/** Opens a missing file, so that the trace shows which command comes next. */
const MARK = "/no-such-folder/";

/** Runs each command in its own process and in the same folder; one start of strace serves all of them. */
const DRIVER = `
template=$1; work=$PWD; shift
number=0
while [ $# -gt 0 ]; do
  { : < ${MARK}$number; } 2> /dev/null
  ( ulimit -t 5 -f 2000; exec /bin/bash -c "$2" ) < ../tmp/input > ../tmp/output 2>&1
  if [ "$1" = changes ]; then
    { : < ${MARK}reset; } 2> /dev/null
    cd .. && rm -rf work outside && cp -a "$template/." . && cd "$work"
  fi
  number=$((number + 1)); shift 2
done`;

export interface Watched {
  readonly command: string;
  /** It may change the folder, which is recreated after it. */
  readonly changes: boolean;
}

export class Witness {
  readonly cwd: string;
  readonly outside: string;
  readonly #log: string;
  readonly #template: string;
  readonly #env: Record<string, string>;

  constructor(folder: string) {
    this.cwd = join(folder, "work");
    this.outside = join(folder, "outside");
    this.#log = join(folder, "trace");
    this.#template = join(folder, "template");
    this.#env = {
      PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
      HOME: join(folder, "home"),
      TMPDIR: join(folder, "tmp"),
      LC_ALL: "C",
      GIT_CONFIG_NOSYSTEM: "1",
    };
    mkdirSync(this.#env["HOME"] as string, { recursive: true });
    mkdirSync(join(folder, "tmp"));
    writeFileSync(join(folder, "tmp/input"), "a 1\nb 2\n");
    this.#makeTemplate();
    cpSync(this.#template, folder, { recursive: true });
  }

  /** The folders as every command finds them: a small repository, and files that nothing may touch. */
  #makeTemplate(): void {
    const [work, outside] = ["work", "outside"].map((name) => join(this.#template, name)) as [string, string];
    mkdirSync(join(work, "sub"), { recursive: true });
    mkdirSync(outside);
    writeFileSync(join(outside, "secret"), "key\n");
    writeFileSync(join(outside, "run"), "#!/bin/sh\necho started\n");
    chmodSync(join(outside, "run"), 0o755);
    for (const name of ["a.txt", "x", "1", "5", "sub/b.txt"]) writeFileSync(join(work, name), "a 1\nb 2\n");
    const git = (...args: string[]) => execFileSync("git", args, { cwd: work, env: this.#env });
    git("init", "-q", "-b", "main", "--template=");
    git("add", "-A");
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first");
  }

  /** What each of them has done. */
  run(commands: readonly Watched[]): readonly Deeds[] {
    const options = ["--seccomp-bpf", "-f", "-y", "-qq", "-s", "4096", "-e", `trace=${TRACED}`, "-o", this.#log];
    const given = commands.flatMap(({ command, changes }) => [changes ? "changes" : "reads", command]);
    const { error } = spawnSync("strace", [...options, "/bin/bash", "-c", DRIVER, "driver", this.#template, ...given], {
      cwd: this.cwd,
      env: this.#env,
      timeout: 300_000,
      killSignal: "SIGKILL",
      stdio: "ignore",
    });
    if (error) throw new Error(`${error.message} in one of:\n${commands.map(({ command }) => command).join("\n")}`);
    const calls = callsIn(readFileSync(this.#log, "utf8"));
    const owners = ownersOf(calls);
    return commands.map((_, number) => this.#deeds(calls.filter(({ pid }) => owners.get(pid) === `${number}`)));
  }

  #deeds(calls: readonly Call[]): Deeds {
    const [read, written, started, connected]: string[][] = [[], [], [], []];
    const folders = new Map<string, string>();
    const parents = new Map(calls.flatMap(({ pid, name, result }) => (isStart(name) ? [[result, pid] as const] : [])));
    const folderOf = (pid: string | undefined): string =>
      pid === undefined ? this.cwd : (folders.get(pid) ?? folderOf(parents.get(pid)));
    for (const { pid, name, given, result } of calls) {
      // A process stays where it was started, wherever its parent goes.
      folders.set(pid, folderOf(pid));
      // `5</etc>, "passwd"`: relative to an open folder.
      const paths = [...given.matchAll(/(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"/g)].map(
        ([, base = folderOf(pid), path = ""]) => posix.resolve(plain(base), plain(path)),
      );
      // An attempt that fails, or is not finished yet, has also sent something.
      if (/^(?:bind|connect|sendto|sendmsg|sendmmsg)$/.test(name)) {
        if (/AF_INET/.test(given)) connected?.push(given);
      } else if (result.startsWith("-") || isStart(name)) continue;
      else if (name === "chdir") folders.set(pid, paths[0] ?? this.cwd);
      else if (name === "fchdir") folders.set(pid, openFile(given));
      else if (/^execve/.test(name)) started?.push(paths[0] ?? "");
      else if (/^open/.test(name) && !/O_WRONLY|O_RDWR|O_CREAT|O_TRUNC/.test(given)) {
        if (!given.includes("O_DIRECTORY")) read?.push(paths[0] ?? "");
      } else if (/^(?:fchmod|fchown)$/.test(name)) written?.push(openFile(given));
      else written?.push(...paths);
    }
    return { read: read ?? [], written: written ?? [], started: started ?? [], connected: connected ?? [] };
  }
}

const isStart = (name: string): boolean => STARTS.split(",").includes(name);

/** `fchmod(3</etc/passwd>, …)`: the opened file. */
const openFile = (given: string): string => plain(/<([^>]*)>/.exec(given)?.[1] ?? "");

/** The text as strace prints it: it escapes quotes, `<` and `>`. */
const plain = (text: string): string =>
  text.replace(/\\(?:([0-7]{1,3})|(.))/g, (_, octal: string | undefined, char = "") =>
    octal === undefined ? char : String.fromCharCode(Number.parseInt(octal, 8)),
  );

interface Call {
  readonly pid: string;
  readonly name: string;
  readonly given: string;
  readonly result: string;
}

/** A call is split over two lines if another process made one meanwhile. */
function callsIn(trace: string): Call[] {
  const begun = new Map<string, string>();
  return trace.split("\n").flatMap((line) => {
    const [, pid = "", text = ""] = /^(\d+)\s+(.*)$/.exec(line) ?? [];
    const unfinished = /^(.*?) <unfinished \.\.\.>$/.exec(text)?.[1];
    if (unfinished !== undefined) {
      begun.set(pid, unfinished);
      return [];
    }
    const whole = text.replace(/^<\.\.\. \w+ resumed>/, () => begun.get(pid) ?? "");
    const [, name, given = "", result = ""] = /^(\w+)\((.*)\)\s+=\s+(-?\d+|\?)(?:<.*>)?(?: .*)?$/.exec(whole) ?? [];
    return name === undefined ? [] : [{ pid, name, given, result }];
  });
}

/** The number of the command that each process belongs to. */
function ownersOf(calls: readonly Call[]): ReadonlyMap<string, string> {
  const driver = calls[0]?.pid;
  const owners = new Map<string, string>();
  const parents = new Map<string, string>();
  let number = "";
  for (const { pid, name, given, result } of calls) {
    if (pid === driver) number = new RegExp(`"${MARK}(\\w+)"`).exec(given)?.[1] ?? number;
    if (!isStart(name)) continue;
    if (pid === driver) owners.set(result, number);
    else parents.set(result, pid);
  }
  // A process may appear before the call that started it has returned.
  const ownerOf = (pid: string): string | undefined =>
    owners.get(pid) ?? (parents.has(pid) ? ownerOf(parents.get(pid) as string) : undefined);
  for (const { pid } of calls) {
    const owner = ownerOf(pid);
    if (owner !== undefined) owners.set(pid, owner);
  }
  return owners;
}
