// The known debug adapters as data: their programs, what they debug, and the launch arguments that each expects.

import { posix } from "node:path";
import { quoteShell } from "@lathe/agent/world";

/** The program to debug. Paths are absolute. */
export interface Launch {
  /** A file, a folder (Go), or `-m module` (Python). */
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly stopOnEntry: boolean;
  /** An id that no other run has. */
  readonly id: string;
}

interface AttachTarget {
  readonly pid?: number | undefined;
  readonly port?: number | undefined;
}

export interface AdapterRow {
  readonly name: string;
  /**
   * The first program that exists is used. A relative path with a slash belongs to the project, which must be trusted.
   */
  readonly programs: readonly string[];
  readonly args: readonly string[];
  /** A shell condition in which `$q` is the program. */
  readonly check?: string;
  /** `listen`: it prints the port on which it listens. `inspector`: the program is the debuggee itself. */
  readonly transport: "stdio" | "listen" | "inspector";
  /** When we attach to a port, the adapter already listens there, inside the program. */
  readonly listensInProgram?: true;
  readonly fileTypes: readonly string[];
  /** Files that mark a project of this adapter, in the program's folder or the working directory. */
  readonly rootMarkers: readonly string[];
  /** The adapter debugs compiled programs of any language. */
  readonly isNative?: true;
  readonly install: string;
  /** The command that evaluates one expression, for permissions. */
  readonly evaluates: string;
  /** The command that runs the program without a debugger, for permissions. */
  command(launch: Launch): string;
  launch(launch: Launch): object;
  attach(target: AttachTarget): object;
  /** It announces that it reads and writes memory, but exits when asked to; its own commands work. */
  readonly memoryByCommand?: true;
}

const PYTHONS = [".venv/bin/python", "venv/bin/python", "python3", "python", "/usr/bin/python3"];
/** Prevents files of the current folder from replacing modules. */
const NOT_FROM_HERE = "import sys; sys.path = [place for place in sys.path if place]; ";
const LLDB = ["lldb-dap", ...[22, 21, 20, 19, 18].map((version) => `lldb-dap-${version}`)];
const NATIVE = { fileTypes: [".out", ".elf"], isNative: true as const };

const moduleOf = (program: string): string | undefined => /^-m\s+(\S+)$/.exec(program)?.[1];
const commandLine = (words: readonly string[]): string => words.map(quoteShell).join(" ");
const common = ({ program, args, cwd, stopOnEntry }: Launch) => ({ program, args, cwd, stopOnEntry });
const goMode = (program: string): "test" | "debug" | "exec" =>
  program.endsWith("_test.go") ? "test" : posix.extname(program) === ".go" ? "debug" : "exec";

export const ADAPTER_ROWS: readonly AdapterRow[] = [
  {
    name: "debugpy",
    programs: PYTHONS,
    args: ["-c", `${NOT_FROM_HERE}import runpy; runpy.run_module("debugpy.adapter", None, "__main__", True)`],
    check: `"$q" -c '${NOT_FROM_HERE}import debugpy' 2>/dev/null`,
    transport: "stdio",
    listensInProgram: true,
    fileTypes: [".py"],
    rootMarkers: ["pyproject.toml", "setup.py", "requirements.txt"],
    install: "pip install debugpy",
    evaluates: "python3 -c",
    command: ({ program, args }) => {
      const module = moduleOf(program);
      return commandLine(["python3", ...(module === undefined ? [program] : ["-m", module]), ...args]);
    },
    launch: (launch) => {
      const module = moduleOf(launch.program);
      const { program: _, ...others } = common(launch);
      return {
        ...(module === undefined ? common(launch) : { ...others, module }),
        console: "internalConsole",
        redirectOutput: true,
        subProcess: false,
        variablePresentation: { special: "hide", function: "hide", class: "hide" },
      };
    },
    attach: ({ pid, port }) =>
      pid === undefined ? { connect: { host: "127.0.0.1", port: port ?? 0 } } : { processId: pid },
  },
  {
    name: "node",
    programs: ["node"],
    args: [],
    transport: "inspector",
    fileTypes: [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"],
    rootMarkers: ["package.json"],
    install: "https://nodejs.org",
    evaluates: "node -e",
    command: ({ program, args }) => commandLine(["node", program, ...args]),
    launch: common,
    attach: ({ port }) => ({ port: port ?? 0 }),
  },
  {
    name: "delve",
    programs: ["dlv"],
    args: ["dap", "--listen=127.0.0.1:0"],
    transport: "listen",
    listensInProgram: true,
    fileTypes: [".go"],
    rootMarkers: ["go.mod", "go.work"],
    install: "go install github.com/go-delve/delve/cmd/dlv@latest",
    evaluates: "dlv call",
    command: ({ program, args }) => {
      const mode = goMode(program);
      if (mode === "test") return commandLine(["go", "test", posix.dirname(program), "-args", ...args]);
      return commandLine(mode === "debug" ? ["go", "run", program, ...args] : [program, ...args]);
    },
    launch: (launch) => {
      const mode = goMode(launch.program);
      const program = mode === "test" ? posix.dirname(launch.program) : launch.program;
      // Keeps the build output out of the project.
      const output = mode === "exec" ? {} : { output: `/tmp/lathe-debug-${launch.id}` };
      return { ...common(launch), mode, program, ...output };
    },
    attach: ({ pid }) => (pid === undefined ? { mode: "remote" } : { mode: "local", processId: pid }),
  },
  {
    name: "gdb",
    programs: ["gdb"],
    args: ["-q", "-i", "dap"],
    check: `"$q" --version | grep -Eq 'GDB.* (1[4-9]|[2-9][0-9])\\.'`,
    transport: "stdio",
    ...NATIVE,
    rootMarkers: [],
    install: "apt install gdb (14 or later)",
    evaluates: "gdb -ex",
    command: ({ program, args }) => commandLine([program, ...args]),
    launch: ({ program, args, cwd, stopOnEntry }) => ({
      program,
      args,
      cwd,
      stopAtBeginningOfMainSubprogram: stopOnEntry,
    }),
    attach: ({ pid, port }) => (pid === undefined ? { target: `localhost:${port}` } : { pid }),
  },
  {
    name: "lldb-dap",
    programs: LLDB,
    args: [],
    transport: "stdio",
    ...NATIVE,
    rootMarkers: ["Cargo.toml", "CMakeLists.txt", "Makefile"],
    install: "apt install lldb",
    evaluates: "lldb -o",
    command: ({ program, args }) => commandLine([program, ...args]),
    launch: common,
    attach: ({ pid, port }) => (pid === undefined ? { attachCommands: [`gdb-remote ${port}`] } : { pid }),
    memoryByCommand: true,
  },
];
