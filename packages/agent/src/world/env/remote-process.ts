// A two-way process on the far side, started through the program that connects. A line of our own before its output
// tells us that it runs, and its process id.

import type { Clock } from "../process/clock.ts";
import { type Mark, SET_LOCKS } from "../process/marks.ts";
import type { Processes } from "../process/processes.ts";
import type { OpenedProcess, OpenRequest } from "../process/requests.ts";
import { cancelledError } from "../process/spawn-error.ts";
import { pathError } from "./fs-error.ts";
import { EnvError, type ProcessOptions, type ProgramArgv, type TwoWayProcess } from "./types.ts";

/** Arguments: limit, directory, token, then the command line for `env`. */
const ENTER = `
${SET_LOCKS}
shift
cd "$1" 2>/dev/null || { echo "$2 directory"; exit 126; }
shift 2
exec env "$@"`;

/** Runs with the program's own PATH. Arguments: token, program and its arguments. */
const ANNOUNCE = `
token=$1
shift
case $1 in
  */*) if [ ! -f "$1" ]; then echo "$token missing"; exit 127; elif [ ! -x "$1" ]; then echo "$token permission"; exit 126; fi ;;
  *) command -v "$1" >/dev/null 2>&1 || { echo "$token missing"; exit 127; } ;;
esac
echo "$token $$"
exec "$@"`;

/** The program leads its own process group, unless its starter on the far side does not create one. */
const SEND = `kill -s "$1" -- "-$2" 2>/dev/null || kill -s "$1" "$2"`;

const START_TIMEOUT_MS = 60_000;
/** Limit on what a login may print before it runs our script. */
const MOST_NOISE = 1 << 20;

export interface FarSide {
  /** The name used in error messages. */
  readonly name: string;
  readonly processes: Processes;
  readonly clock: Clock;
  /** The local program that runs the script on the far side. */
  local(script: string, args: readonly string[]): Pick<OpenRequest, "argv" | "cwd" | "env">;
  script(script: string, args: readonly string[]): Promise<unknown>;
  end(mark: Mark): Promise<void>;
}

export interface FarProgram {
  readonly argv: ProgramArgv;
  readonly mark: Mark;
  /** Absolute, on the far side. */
  readonly cwd: string;
  readonly variables: readonly string[];
}

export async function startFar(far: FarSide, program: FarProgram, options: ProcessOptions): Promise<TwoWayProcess> {
  const { argv, mark, cwd, variables } = program;
  const token = `lathe-${mark.locks}`;
  const announced = ["sh", "-c", ANNOUNCE, "lathe", token, ...argv];
  let pid = "";
  const { signal, writeTimeoutMs, onStderr } = options;
  const started = await far.processes.open({
    ...far.local(ENTER, [mark.locks, cwd, token, ...variables, ...announced]),
    ...(signal === undefined ? {} : { signal }),
    ...(writeTimeoutMs === undefined ? {} : { writeTimeoutMs }),
    ...(onStderr === undefined ? {} : { onStderr }),
    program: argv[0],
    endFirst: () => far.end(mark),
    sendSignal: async (name) => {
      await far.script(SEND, [name.slice("SIG".length), pid]);
    },
  });
  let late = false;
  const cancel = far.clock.after(START_TIMEOUT_MS, () => {
    late = true;
    void started.stop(0);
  });
  try {
    const answer = await announcement(started, token);
    if (answer === undefined && signal?.aborted) throw cancelledError(argv[0]);
    if (answer === undefined) throw await neverAnnounced(far.name, argv[0], started, late);
    if (answer === "directory") throw pathError("not_found", cwd);
    if (answer === "missing") {
      const message = `Program not found on ${far.name}: ${argv[0]}. Install it there or put it on PATH.`;
      throw new EnvError("unavailable", message, { path: argv[0] });
    }
    if (answer === "permission") {
      const message = `Not executable on ${far.name}: ${argv[0]}. Run chmod +x on it, or name the program that runs it.`;
      throw new EnvError("permission_denied", message, { path: argv[0] });
    }
    pid = answer;
    return started;
  } catch (error) {
    await started.stop(0);
    throw error;
  } finally {
    cancel();
  }
}

/** The word after the token; undefined if the output ends before it. */
async function announcement(started: OpenedProcess, token: string): Promise<string | undefined> {
  let seen = Buffer.alloc(0);
  for await (const chunk of started.stdout) {
    seen = Buffer.concat([seen, chunk]);
    const at = seen.indexOf(`${token} `);
    const end = at === -1 ? -1 : seen.indexOf(10, at);
    if (end === -1) {
      if (seen.length > MOST_NOISE) return undefined;
      continue;
    }
    started.stdout.unread(seen.subarray(end + 1));
    return seen.toString("latin1", at + token.length + 1, end);
  }
  return undefined;
}

async function neverAnnounced(name: string, program: string, started: TwoWayProcess, late: boolean): Promise<EnvError> {
  const { exitCode } = await started.stop(0);
  const said = started.readStderr().text.trim();
  const reason = late ? `no answer within ${START_TIMEOUT_MS / 1000} s` : said || `exit code ${exitCode}`;
  return new EnvError("unavailable", `Could not start ${program} on ${name}: ${reason}. Check that it is reachable.`, {
    path: program,
  });
}
