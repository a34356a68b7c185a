// Runs one foreground command in a terminal of the editor: creates the terminal, waits for it, kills and releases it.
// The state of the session's shell travels in files, since the editor passes no file descriptors.

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EnvError } from "@lathe/agent";
import {
  type ExecOptions,
  type ExecResult,
  frameScript,
  lastingScript,
  loader,
  quoteShell,
  readShellState,
  shellArgv,
  stateText,
} from "@lathe/agent/world";
import { messageOf } from "@lathe/llm";

/** A terminal of the editor, as the protocol describes it. */
interface EditorTerminal {
  readonly id: string;
  output(): Promise<{ readonly output: string; readonly truncated: boolean }>;
  waitForExit(): Promise<{ readonly exitCode?: number | null; readonly signal?: string | null }>;
  kill(): Promise<unknown>;
  release(): Promise<unknown>;
}

interface TerminalStart {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly outputByteLimit: number;
}

export interface EditorTerminals {
  start(command: string, start: TerminalStart): Promise<EditorTerminal>;
  now(): number;
}

interface EditorCommand {
  readonly command: string;
  readonly timeoutMs: number;
  readonly cwd: string;
  readonly options: ExecOptions;
}

/** After a kill, the editor has this long to report the end of the command; then we release the terminal anyway. */
const ENDS_WITHIN_MS = 5_000;
/** Bytes of output to request; a call shows less than this. */
const MOST_OUTPUT = 1 << 20;

export async function runInEditor(terminals: EditorTerminals, run: EditorCommand): Promise<ExecResult> {
  const { command, cwd, options } = run;
  const { shell, env = {} } = options;
  if (!shell) return runOnce(terminals, run, { argv: shellArgv(command), env });
  const folder = await mkdtemp(join(tmpdir(), "lathe-terminal-"));
  try {
    const [given, report] = [join(folder, "given"), join(folder, "report")];
    const script = lastingScript({ ...shell, cwd, command, startEnv: env, report: { file: report } });
    await writeFile(given, Buffer.concat([frameScript(stateText(shell.state, env)), frameScript(script)]), {
      mode: 0o600,
    });
    const argv = [
      "/bin/bash",
      "--norc",
      "--noprofile",
      "-c",
      loader(3, `exec 3<${quoteShell(given)}; `),
      "bash",
    ] as const;
    const result = await runOnce(terminals, run, { argv, env: { ...env, BASH_ENV: "" } });
    const isWhole = !result.timedOut && !result.aborted && result.signal === undefined;
    const state = isWhole ? readShellState(await readFile(report, "utf8").catch(() => "")) : undefined;
    return state ? { ...result, shell: state } : result;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runOnce(
  terminals: EditorTerminals,
  { command, timeoutMs, cwd, options }: EditorCommand,
  start: Pick<TerminalStart, "argv" | "env">,
): Promise<ExecResult> {
  const begun = terminals.now();
  const { signal } = options;
  signal?.throwIfAborted();
  const terminal = await terminals
    .start(command, { ...start, cwd, outputByteLimit: MOST_OUTPUT })
    .catch((error: unknown) => {
      throw new EnvError("unavailable", `The editor could not open a terminal: ${messageOf(error)}`, { cause: error });
    });
  let why: "timeout" | "abort" | undefined;
  let late: NodeJS.Timeout | undefined;
  let giveUp: () => void = () => {};
  const neverEnded = new Promise<{ readonly exitCode?: never; readonly signal: string }>((resolve) => {
    giveUp = () => resolve({ signal: "SIGKILL" });
  });
  const stopFor = (reason: "timeout" | "abort"): void => {
    why ??= reason;
    late ??= setTimeout(giveUp, ENDS_WITHIN_MS);
    // A kill that worked shows in the command's end.
    terminal.kill().catch(() => {});
  };
  const onAbort = (): void => stopFor("abort");
  const timer = timeoutMs > 0 ? setTimeout(() => stopFor("timeout"), timeoutMs) : undefined;
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) onAbort();
  try {
    const exit = await Promise.race([terminal.waitForExit(), neverEnded]);
    const { output, truncated } = await terminal.output();
    if (typeof output !== "string") throw new Error("its output is no text");
    const text = output.replaceAll("\r\n", "\n");
    if (text !== "") options.onOutput?.(text, "stdout");
    return {
      stdout: text,
      stderr: "",
      output: text,
      outputBytes: Buffer.byteLength(text),
      truncated,
      exitCode: exit.exitCode ?? -1,
      ...(exit.signal ? { signal: exit.signal } : {}),
      timedOut: why === "timeout",
      aborted: why === "abort",
      durationMs: terminals.now() - begun,
    };
  } catch (error) {
    throw new EnvError("closed", `The editor's terminal was lost: ${messageOf(error)}`, { cause: error });
  } finally {
    clearTimeout(timer);
    clearTimeout(late);
    signal?.removeEventListener("abort", onAbort);
    await terminal.release().catch(() => {});
  }
}
