// Turns options into the request for a session: model, limits, prompts and keys of this run.

import { resolve } from "node:path";
import type { FamilyName } from "@lathe/agent";
import type { Check } from "@lathe/agent/verify";
import { chooseModel, type ModelChoice } from "../models/connect.ts";
import type { Machine } from "../platform/machine/machine.ts";
import type { CliOptions } from "../platform/options/option-table.ts";
import type { ParsedArgs } from "../platform/options/parse.ts";
import { commaList, duration, httpUrl, money, positiveInteger } from "../platform/options/values.ts";
import { usageError } from "../platform/usage/exit.ts";
import { NoRegularFile, readUserFile } from "../platform/usage/user-file.ts";
import type { OpenedJournal } from "../sessions/journals/journal-files.ts";
import type { SessionRequest } from "./session-contract.ts";
import type { SessionWorkspace } from "./session-workspace.ts";

/**
 * Whether to start the interactive mode: a terminal at both ends and no option that asks for output only. Redirected
 * output is fine if there is no prompt to answer.
 */
export function isInteractive({ options, words }: ParsedArgs, machine: Machine): boolean {
  if (options.print !== undefined || options.mode !== undefined || !machine.stdin.isTTY) return false;
  return Boolean(machine.stdout.isTTY) || words.length === 0;
}

/** Whether a user is present, and how to ask them for a model when there are no credentials. */
export interface Presence {
  readonly interactive?: boolean;
  readonly firstModel?: ((workspace: SessionWorkspace) => Promise<ModelChoice | undefined>) | undefined;
}

/** The named model, or the one that session, settings and credentials determine. */
async function modelOf(
  workspace: SessionWorkspace,
  options: CliOptions,
  { journal }: OpenedJournal,
  { interactive = false, firstModel }: Presence,
): Promise<ModelChoice> {
  if (options.default && options.mpreset === undefined) throw usageError("--default needs --mpreset <name>.");
  if (workspace.settings["modelProfile.default"] !== "")
    await (await import("../models/use-preset.ts")).requirePreset(workspace, options);
  if (options.model !== undefined) return chooseModel(workspace, options.model);
  const { chooseInitialModel, modelOfSession } = await import("../models/initial-model.ts");
  const resumed = modelOfSession(journal, workspace);
  return chooseInitialModel(workspace, {
    interactive,
    firstModel: firstModel && (() => firstModel(workspace)),
    hasKey: options["api-key"] !== undefined,
    ...(resumed === undefined ? {} : { resumed }),
  });
}

export async function sessionRequest(
  workspace: SessionWorkspace,
  options: CliOptions,
  opened: OpenedJournal,
  presence: Presence = {},
): Promise<SessionRequest> {
  const { machine, view } = workspace;
  const maxTimeMs = maxTimeOf(options);
  const limits = {
    ...(options["max-turns"] === undefined ? {} : { maxTurns: positiveInteger("max-turns", options["max-turns"]) }),
    ...(options["max-calls"] === undefined ? {} : { maxCalls: positiveInteger("max-calls", options["max-calls"]) }),
    ...(options["max-cost"] === undefined ? {} : { maxCost: money("max-cost", options["max-cost"]) }),
    ...(maxTimeMs === undefined ? {} : { maxTimeMs }),
  };
  const checks = await readChecks(workspace, options);
  const request: SessionRequest = {
    model: await modelOf(workspace, options, opened, presence),
    opened,
    limits,
    ...(checks.length === 0 ? {} : { checks }),
    ...(view ? { environment: () => view.env } : {}),
    overrides: {
      ...(options["api-key"] === undefined ? {} : { apiKey: options["api-key"] }),
      ...(options["base-url"] === undefined ? {} : { baseUrl: httpUrl("base-url", options["base-url"]) }),
    },
    ...(options.profile === undefined ? {} : { profile: options.profile as FamilyName }),
    ...(options.tools === undefined ? {} : { tools: commaList(options.tools) }),
    ...(options["permission-command"] === undefined ? {} : { permissionCommand: options["permission-command"] }),
    ...(options["system-prompt"] === undefined
      ? {}
      : { systemPrompt: await textOrFile(machine, options["system-prompt"]) }),
    ...(options["append-system-prompt"] === undefined
      ? {}
      : { userInstructions: await textOrFile(machine, options["append-system-prompt"]) }),
  };
  if (options["api-key"] !== undefined) machine.stderr.write(KEY_IN_SIGHT);
  return request;
}

/** Fails before anything is sent if a check is invalid. */
async function readChecks(workspace: SessionWorkspace, { check, require }: CliOptions): Promise<readonly Check[]> {
  const isAny = (check?.length ?? 0) > 0 || hasChecks(workspace.settings);
  const checks = isAny ? (await import("../changes/verify/checks.ts")).checksOf(workspace, check) : [];
  if (require !== undefined && checks.length === 0)
    throw usageError('--require verified needs a check. Give one, such as --check "npm test", or set checks.');
  return checks;
}

const hasChecks = (settings: SessionWorkspace["settings"]): boolean =>
  settings["verify.detect"] || Object.keys(settings.checks).length > 0;

const KEY_IN_SIGHT =
  "lathe: A key given with --api-key shows in the process list and in your shell's history. Prefer lathe login, or a variable.\n";

export const maxTimeOf = (options: CliOptions): number | undefined =>
  options["max-time"] === undefined ? undefined : duration("max-time", options["max-time"]);

async function textOrFile(machine: Machine, value: string): Promise<string> {
  try {
    return (await readUserFile(resolve(machine.cwd, value))).toString("utf8");
  } catch (error) {
    if (error instanceof NoRegularFile)
      throw usageError(`${value} is a pipe or device. Give a text file, or the text itself.`);
    // A value that looks like a file name must be a file: it makes no sense as a prompt.
    if (/^\S+\.(md|txt)$/.test(value))
      throw usageError(`${value} cannot be read. Give a text file, or the text itself.`);
    return value;
  }
}
