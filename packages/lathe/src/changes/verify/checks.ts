// The checks of a session: those of `--check` and of the settings; if there are none, those found in the project's
// files.

import { shellProblem } from "@lathe/agent/policy";
import type { Check } from "@lathe/agent/verify";
import { compileFilter } from "@lathe/agent/world";
import { messageOf } from "@lathe/llm";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { detectChecks } from "./detect.ts";

/** Throws a usage error for an invalid check before anything is sent. */
export function checksOf(
  { settings, settingsOrigin, cwd }: Pick<Workspace, "settings" | "settingsOrigin" | "cwd">,
  given: readonly string[] = [],
): Check[] {
  const timeoutMs = settings["verify.timeoutMs"];
  const checks = given.map((command): Check => ({ command: command.trim(), timeoutMs, source: "--check" }));
  for (const { command } of checks) refuseBad(command, "--check", 'Give a command, such as --check "npm test".');
  const placeOf = (key: "checks" | "verify.tests"): string => `${settingsOrigin.get(key) ?? "The settings"}: ${key}`;
  for (const glob of settings["verify.tests"])
    refuseGlob(glob, placeOf("verify.tests"), "Change it: lathe config set verify.tests '<glob>'");
  const named = Object.entries(settings.checks).map(([glob, command]): Check => {
    const key = `${placeOf("checks")}, "${glob}"`;
    const next = "Change it: lathe config set checks '<glob>=<command>'";
    refuseGlob(glob, placeOf("checks"), next);
    refuseBad(command, key, next);
    return {
      command: command.trim(),
      covers: glob === "**" ? undefined : [glob],
      timeoutMs,
      source: "the setting checks",
    };
  });
  const all = joinSame([...checks, ...named]);
  return all.length > 0 || !settings["verify.detect"] ? all : detectChecks(cwd, timeoutMs);
}

function refuseGlob(glob: string, place: string, next: string): void {
  if (glob.trim() === "") throw usageError(`${place}: a glob is empty. ${next}`);
  try {
    compileFilter(glob);
  } catch (error) {
    throw usageError(`${place}, "${glob}": ${messageOf(error)}. ${next}`);
  }
}

function refuseBad(command: string, key: string, next: string): void {
  if (command.trim() === "") throw usageError(`${key}: the command is empty. ${next}`);
  const problem = shellProblem(command);
  if (problem !== undefined)
    throw usageError(`${key}: the shell cannot read \`${command.trim()}\`: ${problem}. ${next}`);
}

/** The same command for several globs runs only once. */
function joinSame(checks: readonly Check[]): Check[] {
  const joined = new Map<string, Check>();
  for (const check of checks) {
    const known = joined.get(check.command);
    const covers = known?.covers && check.covers ? [...known.covers, ...check.covers] : undefined;
    joined.set(check.command, known ? { ...known, covers } : check);
  }
  return [...joined.values()];
}
