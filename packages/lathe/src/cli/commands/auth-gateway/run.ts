// `lathe auth-gateway run [--budget 2] -- <command>`: runs a command with its own key, which is revoked when the
// command ends.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { providerRows } from "@lathe/llm/providers";
import { withRunKey } from "../../../doors/gateway/keys/run-key.ts";
import type { Machine } from "../../../platform/machine/machine.ts";
import { CliError, EXIT, type ExitCode, usageError } from "../../../platform/usage/exit.ts";
import type { Command } from "../command.ts";
import { verbArgs } from "../verb-args.ts";
import { keysOf } from "./key.ts";
import { TERM_OPTIONS, termsIn } from "./key-terms.ts";
import { gatewayUrl, isGatewayRunning } from "./running.ts";

/** If this process is killed, the key expires after this time. */
const USUAL_LIFE = "24h";
/** A command that was asked to end is killed after this time. */
const END_WITHIN_MS = 5_000;

export const runWithKey: Command = async (argv, machine) => {
  const end = argv.indexOf("--");
  const [program, ...args] = end < 0 ? [] : argv.slice(end + 1);
  const options = { ...TERM_OPTIONS, name: { type: "string" }, url: { type: "string" } } as const;
  const { values, positionals } = verbArgs(end < 0 ? argv : argv.slice(0, end), options, "auth-gateway");
  if (program === undefined || positionals.length > 0)
    throw usageError("Give the command after two dashes: lathe auth-gateway run --budget 2 -- npm test");
  const name = values.name ?? `run-${machine.deps.uuid().slice(-8)}`;
  const { lastsMs = 0, ...terms } = termsIn(name, { ...values, expires: values.expires ?? USUAL_LIFE });
  const url = gatewayUrl(machine, values.url);
  if (!isGatewayRunning(machine))
    throw new CliError(EXIT.provider, "No gateway of this home is running. Start one: lathe auth-gateway serve");
  if (/^(?:0\.0\.0\.0|\[::\])$/.test(new URL(url).hostname))
    throw usageError("The gateway listens on every address. Use --url to give the one that the command should use.");
  // Created before the key: no signal may end this process between creating and revoking the key.
  const job = new Job(machine);
  try {
    return await withRunKey(keysOf(machine), url, { ...terms, lastsMs }, (variables) =>
      job.exitCode(program, args, { ...withoutProviderKeys(machine.env), ...variables }),
    );
  } finally {
    job.stopListening();
  }
};

/** A client that found such a key would use it, and so bypass the gateway and its budget. */
function withoutProviderKeys(env: Machine["env"]): Machine["env"] {
  const names = new Set(providerRows.flatMap(({ keyEnv }) => keyEnv));
  // This token also gives access to the user's repositories.
  names.delete("GITLAB_TOKEN");
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name)));
}

/** The running command. Signals that ask us to end are passed on to it. */
class Job {
  readonly #machine: Machine;
  readonly #signals: NonNullable<Machine["signals"]>;
  #child: ChildProcess | undefined;
  #isAsked = false;
  #late: { cancel(): void } | undefined;

  constructor(machine: Machine) {
    this.#machine = machine;
    this.#signals = machine.signals ?? process;
    this.#signals.on("SIGINT", this.#interrupt);
    this.#signals.on("SIGTERM", this.#pass);
    this.#signals.on("SIGHUP", this.#pass);
  }

  stopListening(): void {
    this.#signals.off("SIGINT", this.#interrupt);
    this.#signals.off("SIGTERM", this.#pass);
    this.#signals.off("SIGHUP", this.#pass);
  }

  async exitCode(program: string, args: readonly string[], env: Machine["env"]): Promise<ExitCode> {
    if (this.#isAsked) return EXIT.interrupted;
    this.#child = spawn(program, args, { cwd: this.#machine.cwd, env, stdio: "inherit" });
    try {
      const [code, signal] = (await once(this.#child, "exit")) as [number | null, NodeJS.Signals | null];
      // The command's exit code, or for a signal the code that shells report.
      return (code ?? 128 + (signal === null ? 0 : constants.signals[signal])) as ExitCode;
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw usageError(
        code === "ENOENT" ? `There is no program "${program}".` : `${program} cannot start: ${message}.`,
      );
    } finally {
      this.#late?.cancel();
    }
  }

  /** At a terminal the command receives Ctrl+C itself, and may continue afterwards. */
  readonly #interrupt = (): void => {
    if (this.#child === undefined || !this.#machine.stdin.isTTY) this.#pass("SIGINT");
  };

  readonly #pass = (signal: NodeJS.Signals): void => {
    const isSecond = this.#isAsked;
    this.#isAsked = true;
    if (this.#child === undefined) return;
    this.#child.kill(isSecond ? "SIGKILL" : signal);
    this.#late ??= this.#machine.deps.setTimer(() => this.#child?.kill("SIGKILL"), END_WITHIN_MS);
  };
}
