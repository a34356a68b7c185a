// Plans a call of `bash`: the command after small fixes, its directory and its settings.

import { posix } from "node:path";
import { flag, mapOf, number, optional, type StaticFields, text } from "@lathe/llm/schema";
import { type CallScope, ToolFailure } from "../../../contract/tool.ts";
import { type BashSettings, LastingShell, PLAIN_BASH } from "../../run/lasting-shell.ts";
import { outsideSandbox } from "../shell/index.ts";
import { leadingDirectory, scriptOf, type WantedLines, withoutHeadTail } from "./fixups.ts";

export const LONGEST_S = 3600;

const seconds = number({ description: `Seconds it may take, at most ${LONGEST_S}`, minimum: 1 });
const variables = mapOf(text(), "Variables of this call");

export const params = {
  command: text("The command"),
  env: optional(variables),
  timeout: optional(seconds),
  cwd: optional(text("Directory of this call")),
  pty: optional(flag("Run it in a terminal")),
  async: optional(flag("Start it as a job and return at once")),
  ...outsideSandbox,
};

export type BashArgs = StaticFields<typeof params>;

/** A command as it will be judged and run. */
export interface PlannedCommand {
  /** The command text that runs. */
  readonly command: string;
  /** Absolute, with the name that the shell uses. */
  readonly cwd: string;
  /** The shell returns to its previous directory afterwards. */
  readonly returns: boolean;
  readonly wanted?: WantedLines | undefined;
}

/** Access, preview and execution share this plan, so the command that was judged is the one that runs. */
export function planCommand(args: BashArgs, scope: Pick<CallScope, "env" | "services">): PlannedCommand {
  const here = shellOf(scope).cwd(scope.env);
  const base = args.cwd === undefined ? here : posix.resolve(here, args.cwd);
  const script = scriptOf(args.command);
  const leading = leadingDirectory(args.command, script);
  const cwd = leading ? posix.resolve(base, leading.cwd) : base;
  const command = leading?.rest ?? args.command;
  const settings = settingsOf(scope);
  const shorter =
    settings.stripsHeadTail && !args.pty && !args.async ? withoutHeadTail(command, scriptOf(command)) : undefined;
  return { command: shorter?.command ?? command, cwd, returns: args.cwd !== undefined, wanted: shorter?.wanted };
}

/** Without a session to keep the shell, each call starts a new one. */
export function shellOf({ services }: Pick<CallScope, "services">): LastingShell {
  return services.lastingShell ?? new LastingShell();
}

export function settingsOf({ services }: Pick<CallScope, "services">): BashSettings {
  return services.bashSettings ?? PLAIN_BASH;
}

export const prefixCommand = (command: string, { prefix }: BashSettings): string =>
  prefix === undefined || prefix.trim() === "" ? command : `${prefix} ${command}`;

export function refuseBadNames(env: Readonly<Record<string, string>>): void {
  const bad = Object.keys(env).find((name) => !/^[A-Za-z_]\w*$/.test(name));
  if (bad !== undefined)
    throw new ToolFailure(`Invalid name of a variable in env: ${JSON.stringify(bad)}. Use letters, digits and _.`);
}
