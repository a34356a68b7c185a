// What the machine can do to a run: full or read-only disks, limits of the process, a clock that jumps, children killed
// for lack of memory. Each says how the run ends and what its journal then holds, and restores the machine.

import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Turn, turn } from "@lathe/testkit";
import type { Finished } from "../command.ts";
import { canMount, withTmpfs } from "../tmpfs.ts";
import { type FaultBench, SOUND_ANSWER, sound } from "./bench.ts";
import type { Go } from "./machine-modes.ts";

export interface Looks {
  /** Checks while the fault lasts. */
  whileBroken(run: Finished): Promise<void>;
  /** Checks when the machine is sound again. */
  onceSound(): Promise<void>;
}

/** Runs the input in the mode under test. */
interface How {
  /** Prepares the home before the machine fails, if it is not the bench's own. */
  readonly prepare: () => Promise<void>;
  readonly go: Go;
}

export interface MachineFault {
  readonly name: string;
  /** What the machine must support for this fault. */
  readonly needs?: { readonly what: string; readonly isThere: boolean };
  readonly exit: number;
  /** Expected on stderr, or on stdout if the run succeeds. */
  readonly says: RegExp;
  /** The expected last input in the journal. */
  readonly journal: string;
  try(bench: FaultBench, look: Looks, how: How): Promise<void>;
  readonly short?: true;
}

const MOUNT = { what: "mount", isThere: canMount };
const FAKETIME = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"]
  .map((folder) => `${folder}/faketime/libfaketime.so.1`)
  .find((file) => existsSync(file));
const CLOCK = { what: "libfaketime", isThere: FAKETIME !== undefined };

function script(bench: FaultBench, ...turns: Turn[]): void {
  bench.answer = () => turns.shift() ?? sound();
}

const shell = (command: string): Turn => turn.calls([{ name: "shell", args: { command } }]);
const write = (path: string, content: string): Turn =>
  turn.calls([{ name: "write_file", args: { file_path: path, content } }]);

/** A home on its own small disk. */
async function onSmallHome(
  bench: FaultBench,
  prepare: How["prepare"],
  work: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = join(bench.box.home, "small");
  await withTmpfs(folder, "1m", async () => {
    bench.box.env["LATHE_HOME"] = folder;
    await prepare();
    await work(folder);
  });
}

function fill(folder: string): void {
  try {
    for (let n = 0; ; n++) writeFileSync(join(folder, `fill-${n}`), Buffer.alloc(4096));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
}

const free = (folder: string): void => void execFileSync("sh", ["-c", 'rm -f "$0"/fill*', folder]);
const mount = (folder: string, how: string): void => void execFileSync("mount", ["-o", `remount,${how}`, folder]);

/** The wall clock jumps by `by` when the model is asked. */
async function clockJump(bench: FaultBench, go: Go, by: string, answer: (jump: () => void) => Turn): Promise<Finished> {
  const file = join(bench.box.home, "clock");
  writeFileSync(file, "+0");
  script(
    bench,
    answer(() => writeFileSync(file, by)),
  );
  const env = {
    LD_PRELOAD: FAKETIME ?? "",
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };
  return go({ env });
}

/** The fault ends with the run. */
async function afterwards(look: Looks, run: Finished): Promise<void> {
  await look.whileBroken(run);
  await look.onceSound();
}

const answered = { exit: 0, says: new RegExp(SOUND_ANSWER), journal: "completed" } as const;

export const MACHINE_FAULTS: readonly MachineFault[] = [
  {
    name: "home disk full at the start",
    needs: MOUNT,
    exit: 70,
    says: /^lathe: .*ENOSPC.*\n$/,
    journal: "no session",
    try: (bench, look, { go, prepare }) =>
      onSmallHome(bench, prepare, async (folder) => {
        fill(folder);
        await look.whileBroken(await go());
        free(folder);
        await look.onceSound();
      }),
  },
  {
    name: "home disk full while the agent works",
    needs: MOUNT,
    exit: 70,
    says: /^lathe: .*ENOSPC.*\n$/,
    journal: "unfinished, last line torn",
    short: true,
    try: (bench, look, { go, prepare }) =>
      onSmallHome(bench, prepare, async (folder) => {
        const fillUp = `for n in $(seq 300); do head -c 4096 /dev/zero > '${folder}'/fill-$n || break; done`;
        // The last page of the journal still has room for the first result, but not for the second.
        script(bench, shell(fillUp), shell("seq 1 2000"));
        await look.whileBroken(await go());
        free(folder);
        await look.onceSound();
      }),
  },
  {
    name: "home on a read-only disk",
    needs: MOUNT,
    exit: 70,
    says: /^lathe: .*EROFS.*\n$/,
    journal: "no session",
    try: (bench, look, { go, prepare }) =>
      onSmallHome(bench, prepare, async (folder) => {
        mount(folder, "ro");
        await look.whileBroken(await go());
        mount(folder, "rw");
        await look.onceSound();
      }),
  },
  {
    name: "project disk full",
    needs: MOUNT,
    ...answered,
    try: (bench, look, { go }) =>
      withTmpfs(join(bench.box.dir, "data"), "64k", async (folder) => {
        script(bench, write("data/big.txt", "x".repeat(200_000)));
        await look.whileBroken(await go());
        if (existsSync(join(folder, "big.txt"))) throw new Error("half a file is left");
        await look.onceSound();
      }),
  },
  {
    name: "project on a read-only disk",
    needs: MOUNT,
    ...answered,
    try: (bench, look, { go }) =>
      withTmpfs(join(bench.box.dir, "data"), "64k", async (folder) => {
        mount(folder, "ro");
        script(bench, write("data/small.txt", "x"));
        await afterwards(look, await go());
      }),
  },
  {
    name: "file size limit reached in the session's files",
    exit: 70,
    says: /^lathe: .*EFBIG.*\n$/,
    journal: "unfinished",
    try: async (bench, look, { go }) => {
      script(bench, shell("seq 1 2000"), shell("seq 2000 4000"), shell("seq 4000 6000"));
      // Blocks of 512 bytes: room for the first messages, but not for everything that follows.
      await afterwards(look, await go({ limit: "ulimit -f 24" }));
    },
  },
  {
    name: "40 files read at once with a limit of 28 open files",
    ...answered,
    try: async (bench, look, { go }) => {
      for (let n = 0; n < 40; n++) writeFileSync(join(bench.box.dir, `f${n}.txt`), "text");
      const calls = Array.from({ length: 40 }, (_, n) => ({ name: "read_file", args: { file_path: `f${n}.txt` } }));
      script(bench, turn.calls(calls));
      await afterwards(look, await go({ limit: "ulimit -n 28" }));
    },
  },
  {
    name: "clock jumps a day ahead while the model answers",
    needs: CLOCK,
    ...answered,
    short: true,
    try: async (bench, look, { go }) =>
      afterwards(
        look,
        await clockJump(bench, go, "+86400", (jump) =>
          turn.text(SOUND_ANSWER, { beforeEvent: (at) => (at === 3 ? jump() : undefined) }),
        ),
      ),
  },
  {
    name: "clock jumps a day back while the server is silent",
    needs: CLOCK,
    ...answered,
    try: async (bench, look, { go }) => {
      const silent = turn.withFault(
        { kind: "stall", afterEvents: 3 },
        turn.text("a text that stops", { deltaChars: 2 }),
      );
      const at = (jump: () => void): Turn => ({ ...silent, beforeEvent: (n) => (n === 2 ? jump() : undefined) });
      await afterwards(look, await clockJump(bench, go, "-86400", at));
    },
  },
  {
    name: "command that exceeds its memory limit",
    ...answered,
    try: async (bench, look, { go }) => {
      script(bench, shell(`(ulimit -v 300000; exec node -e 'Buffer.alloc(4e9).fill(1)')`));
      await look.whileBroken(await go());
      mustHaveResult(bench, /exit code: (?!0)/);
      await look.onceSound();
    },
  },
  {
    name: "command killed with SIGKILL, as by the kernel when memory runs out",
    ...answered,
    try: async (bench, look, { go }) => {
      script(bench, shell("kill -KILL $$"));
      await look.whileBroken(await go());
      mustHaveResult(bench, /exit code: 137|SIGKILL/);
      await look.onceSound();
    },
  },
  {
    name: "no server at the provider's address",
    exit: 3,
    says: /ECONNREFUSED.*\n$/,
    journal: "error",
    try: async (_bench, look, { go }) =>
      afterwards(look, await go({ env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9" } })),
  },
];

/** The model must have got the result of its call. */
function mustHaveResult(bench: FaultBench, what: RegExp): void {
  const results = bench.server.requests.at(-1)?.view.messages.flatMap((message) => message.results) ?? [];
  const text = results.map((result) => result.text).join("\n");
  if (!what.test(text)) throw new Error(`the model was told ${JSON.stringify(text)}`);
}
