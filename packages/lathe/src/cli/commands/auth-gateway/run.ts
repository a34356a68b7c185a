// `lathe auth-gateway run [--budget 2] -- <command>`: runs a command with a key of its own, which is revoked when the command ends.

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

/** The key ends then by itself, should this process be killed. */
const USUAL_LIFE = "24h";
/** A command that was asked to end is killed after so long. */
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
    throw usageError("The gateway listens at every address: give the one that the command shall use with --url.");
  // Before there is a key: nothing may end this process between making and revoking it.
  const job = new Job(machine);
  try {
    return await withRunKey(keysOf(machine), url, { ...terms, lastsMs }, (variables) =>
      job.exitCode(program, args, { ...withoutProviderKeys(machine.env), ...variables }),
    );
  } finally {
    job.stopListening();
  }
};

/** A client that found one would use it, past the gateway and its budget. */
function withoutProviderKeys(env: Machine["env"]): Machine["env"] {
  const names = new Set(providerRows.flatMap(({ keyEnv }) => keyEnv));
  // It opens the user's repositories, too.
  names.delete("GITLAB_TOKEN");
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name)));
}

/** The command, to which is passed on what asks us to end. */
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
      // The code is the command's; of a signal, what shells make of it.
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

  /** At a terminal, Ctrl+C reaches the command by itself, which may go on after it. */
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
