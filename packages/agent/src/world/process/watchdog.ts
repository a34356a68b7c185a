// A small shell that outlives us: it waits for the end of a pipe that only we hold open, and then ends everything that
// carries our mark, so that even SIGKILL of the host leaves no orphan.

import type { ChildProcess } from "node:child_process";
import { childProcess, unrefPipe } from "./child-process.ts";
import type { Clock } from "./clock.ts";
import type { Mark } from "./marks.ts";

/** For POSIX shells: `marked entry locks` prints the processes that carry the mark. */
export const MARKED = `
marked() {
  if [ -d /proc/self ]; then
    case $(grep --version 2>/dev/null) in
      *GNU*) grep -lszxF -- "$1" /proc/[0-9]*/environ ;;
      *) for file in /proc/[0-9]*/environ; do
          { tr '\\0' '\\n' < "$file" | grep -qxF -- "$1"; } 2>/dev/null && echo "$file"
        done ;;
    esac | while IFS=/ read -r _ _ pid _; do echo "$pid"; done
    stats=''
    for file in $(grep -lsE "^Max file locks +$2[0-9]* " /proc/[0-9]*/limits); do stats="$stats \${file%limits}stat"; done
    [ -z "$stats" ] || grep -lsE '\\) [^ZX]( -?[0-9]+){10}' $stats | while IFS=/ read -r _ _ pid _; do echo "$pid"; done
  else
    ps -axEww -o pid=,command= | grep -F -- "$1" | grep -vF 'grep -' | while read -r pid _; do echo "$pid"; done
  fi
}`;

// Arguments: both parts of a mark, and a folder to remove, or nothing. The pipe carries "+<group>" when a command
// starts and "-<group>" when it ends: on systems without readable limits, the groups reach children that were started
// with an empty environment. `ps -E` replaces /proc on macOS. A program stopped in a debugger continues when the
// debugger ends, so the script also ends what it starts then. It starts few programs, because there may be hundreds of
// processes. No process name is as long as ten numbers after its state. The shell's own environment is empty, so it
// never finds itself. If its input is empty, it acts at once.
export const WATCHDOG_SCRIPT = `
trap '' HUP INT TERM PIPE
groups=' '
while read -r line; do
  id=\${line#?}
  case $line in
    +*) groups="$groups$id " ;;
    -*) case $groups in *" $id "*) groups="\${groups%% $id *} \${groups#* $id }" ;; esac ;;
  esac
done
${MARKED}
round=0
told=' '
while [ $round -lt 60 ]; do
  targets=$(marked "$1" "$2")
  for group in $groups; do kill -0 "-$group" && targets="$targets -$group"; done
  [ -z "$targets" ] && break
  for id in $targets; do
    case $told in *" $id "*) ;; *) kill -TERM "$id"; kill -CONT "$id"; told="$told$id " ;; esac
  done
  if [ $round -ge 10 ]; then kill -KILL $targets; fi
  sleep 0.1
  round=$((round + 1))
done 2>/dev/null
[ -z "$3" ] || rm -rf -- "$3"
`;

export interface Watchdog {
  readonly process: ChildProcess;
  commandStarted(group: number): void;
  commandEnded(group: number): void;
  /** Ends the watchdog at once: at the end of its pipe it would also end commands that start meanwhile. */
  release(): void;
}

/** `leftover`: a folder to remove once we are gone. */
function startWatchdog(mark: Mark, leftover = ""): Watchdog {
  const args = ["-c", WATCHDOG_SCRIPT, "lathe-watchdog", mark.entry, mark.locks, leftover];
  const child = childProcess().spawn("/bin/sh", args, {
    detached: true,
    cwd: "/",
    env: { PATH: "/usr/bin:/bin:/usr/sbin:/sbin" },
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.unref();
  unrefPipe(child.stdin);
  // Without a watchdog, only SIGKILL of the host could leave orphans; the next command starts another.
  child.on("error", () => {});
  child.stdin.on("error", () => {});
  return {
    process: child,
    commandStarted: (group) => child.stdin.write(`+${group}\n`),
    commandEnded: (group) => child.stdin.write(`-${group}\n`),
    release: () => child.kill("SIGKILL"),
  };
}

/** Anything with a process id that ends. */
export type Watched = Pick<ChildProcess, "pid"> & { once(event: "exit", listener: () => void): unknown };

const LONG_FOR_A_QUESTION_MS = 500;

/** Watches the processes with one mark; starts the watchdog with the first of them. */
export class Watch {
  readonly #mark: Mark;
  readonly #clock: Clock;
  readonly #folder: () => string | undefined;
  #watchdog: Watchdog | undefined;

  /** `folder` is removed if we die; it may be created later, with the first command. */
  constructor(mark: Mark, clock: Clock, folder: () => string | undefined) {
    this.#mark = mark;
    this.#clock = clock;
    this.#folder = folder;
  }

  get isOn(): boolean {
    return this.#watchdog !== undefined;
  }

  /** Starts the watchdog for processes that only their mark identifies. */
  begin(): Watchdog {
    return this.#watchdog ?? this.#newWatchdog();
  }

  follow(child: Watched): void {
    const { pid } = child;
    if (pid === undefined) return;
    const watchdog = this.begin();
    watchdog.commandStarted(pid);
    child.once("exit", () => watchdog.commandEnded(pid));
  }

  /**
   * Starting a watchdog takes as long as a brief command; without one, a command ends when its output is no longer
   * read.
   */
  followIfLong(child: ChildProcess): void {
    const cancel = this.#clock.after(LONG_FOR_A_QUESTION_MS, () => this.follow(child));
    child.once("exit", cancel);
    child.once("error", cancel);
  }

  #newWatchdog(): Watchdog {
    const watchdog = startWatchdog(this.#mark, this.#folder());
    this.#watchdog = watchdog;
    watchdog.process.once("exit", () => {
      if (this.#watchdog === watchdog) this.#watchdog = undefined;
    });
    return watchdog;
  }

  release(): void {
    this.#watchdog?.release();
    this.#watchdog = undefined;
  }
}
