// Where a run works and what takes effect there: directory, trust, settings, environment. Read once at the start.

import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import type { Redactor, Rule } from "@lathe/agent/policy";
import { type HomePaths, homePaths } from "../../platform/home/paths.ts";
import { isDirectory } from "../../platform/home/small-file.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import type { CliOptions } from "../../platform/options/option-table.ts";
import { commaList } from "../../platform/options/values.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { BROKER_VARIABLES } from "../credentials/broker/variables.ts";
import { redactorFor } from "../credentials/known-secrets.ts";
import { envWithFiles } from "../settings/env-files.ts";
import { importOlderSettings } from "../settings/import-older.ts";
import { type LoadedSettings, loadSettings, type SettingsSource } from "../settings/load.ts";
import { rulesOfOptions } from "../settings/rules.ts";
import type { SettingKey, Settings } from "../settings/schema.ts";
import { settingsIn } from "../settings/scoped.ts";
import { type ProjectFiles, projectOf } from "../trust/project.ts";
import { type AlreadyReported, nothingReported } from "./already-reported.ts";
import type { RunView } from "./run-view.ts";

export interface Workspace {
  readonly machine: Machine;
  /** Absolute path with links resolved. */
  readonly cwd: string;
  /** Writable directories, cwd first. */
  readonly roots: readonly string[];
  readonly paths: HomePaths;
  /** The project's files that take effect. */
  readonly project: ProjectFiles;
  readonly settings: Settings;
  readonly savedModel: LoadedSettings["savedModel"];
  readonly settingsOrigin: LoadedSettings["origin"];
  /** The rules from settings and options. */
  readonly rules: readonly Rule[];
  /** The process's variables, then those of the .env files. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Environment without the project's .env file, which must not decide where searches, images and web requests go. */
  readonly userEnv: Readonly<Record<string, string | undefined>>;
  /** Extensions named on the command line. */
  readonly extensions: NamedExtensions;
  /** Knows the secrets of this directory and run. */
  readonly redactor: Redactor;
  /** Lines for stderr. */
  readonly warnings: readonly string[];
  /** Messages that the run has already shown. */
  readonly reported: AlreadyReported;
  /** The isolated copy that the run works in, instead of the directory itself. */
  readonly view?: RunView;
}

export interface NamedExtensions {
  /** The files given with `--extension`. */
  readonly files: readonly string[];
  /** Values of options that extensions added. */
  readonly flags: Readonly<Record<string, string | boolean>>;
  /** The command line, until it is known which extension options take a value. */
  readonly unread?: readonly string[];
}

/**
 * A program that drives Lathe gets the same workflow in every home and project; it passes its own files with --config.
 */
const STABLE_FOR_HOSTS = ["todo", "task", "irc", "async", "bash.autoBackground"];

export async function openWorkspace(
  machine: Machine,
  options: CliOptions,
  reported: AlreadyReported = nothingReported(),
): Promise<Workspace> {
  const cwd = directory(machine, options.cwd ?? ".", "--cwd");
  const added = (options["add-dir"] ?? []).map((path) => directory(machine, path, "--add-dir"));
  const paths = homePaths(machine.env, machine.userHome);
  const { files: project, ignored } = projectOf(cwd, paths, machine.userHome);
  const imported = await importOlderSettings(paths.config);
  const skips = options.mode === "rpc" ? STABLE_FOR_HOSTS : [];
  const sources: SettingsSource[] = [
    { file: paths.config, required: false, own: true, skips },
    ...[project.settings, project.config].flatMap((file) =>
      file === undefined ? [] : [{ file, required: false, ofProject: true, skips }],
    ),
    ...(options.config ?? []).map((file) => ({ file: resolve(machine.cwd, file), required: true })),
  ];
  const loaded = await loadSettings(sources, settingsOfRun(options), paths.settingsMemory);
  const variables = { env: machine.env, latheHome: paths.home, userHome: machine.userHome };
  const userEnv = envWithFiles({ ...variables, project: undefined });
  const env = project.env === undefined ? userEnv : envWithFiles({ ...variables, project: project.env });
  return {
    machine,
    cwd,
    roots: [cwd, ...added],
    paths,
    project,
    settings: settingsIn(cwd, machine.userHome, loaded.values),
    savedModel: loaded.savedModel,
    settingsOrigin: loaded.origin,
    rules: [...rulesOfOptions(options), ...loaded.rules],
    env,
    userEnv,
    extensions: { files: options.extension ?? [], flags: options.extensionFlags ?? {} },
    redactor: redactorFor({
      env,
      authFile: paths.auth,
      tokenFiles: [paths.brokerToken, paths.gatewayToken],
      brokerToken: loaded.values["auth.broker.token"],
    }),
    warnings: [imported, ...loaded.warnings, ignored, ignoredBroker(project.env, env, userEnv)].filter(
      (line) => line !== undefined,
    ),
    reported: reported,
  };
}

type Env = Workspace["env"];

/** A project must not choose who keeps the credentials; that it tried is worth a line. */
function ignoredBroker(file: string | undefined, env: Env, userEnv: Env): string | undefined {
  const name = BROKER_VARIABLES.find((one) => env[one] !== userEnv[one]);
  return name && `${file}: ${name} is ignored: a project cannot say who keeps your credentials.`;
}

/** Returns the absolute path with links resolved. */
export function existingDirectory(machine: Machine, path: string): string {
  // An empty name would mean the current directory, and is what an unset variable looks like.
  if (path.trim() === "") throw usageError("The name of the folder is empty. Give one; . is the present one.");
  const absolute = resolve(machine.cwd, path.replace(/^~(?=\/|$)/, machine.userHome));
  if (isDirectory(absolute)) return realpathSync.native(absolute);
  throw usageError(`There is no folder ${path}. Create it first, or give another one.`);
}

/** Opens another directory for a run that continues: paths in its options still refer to the original one. */
export function openWorkspaceAt(
  machine: Machine,
  options: CliOptions,
  cwd: string,
  reported?: AlreadyReported,
): Promise<Workspace> {
  const absolute = (paths: readonly string[] = []): string[] => paths.map((path) => resolve(machine.cwd, path));
  return openWorkspace(
    { ...machine, cwd },
    {
      ...options,
      cwd,
      "add-dir": absolute(options["add-dir"]),
      config: absolute(options.config),
      extension: absolute(options.extension),
    },
    reported,
  );
}

function directory(machine: Machine, path: string, option: string): string {
  const absolute = resolve(machine.cwd, path);
  if (isDirectory(absolute)) return realpathSync.native(absolute);
  if (path === ".") throw usageError("The working directory cannot be entered. Change to another one.");
  throw usageError(`${option}: ${path} is not a directory. Give an existing directory.`);
}

/** Options that act as settings for this run only. */
function settingsOfRun(options: CliOptions): Partial<Record<SettingKey, unknown>> {
  return {
    ...(options.model === undefined ? {} : { model: options.model }),
    ...(options.mpreset === undefined ? {} : { "modelProfile.default": options.mpreset }),
    ...(options.models === undefined ? {} : { enabledModels: commaList(options.models) }),
    ...(options["smol-model"] === undefined ? {} : { "modelRoles.smol": options["smol-model"] }),
    ...(options["slow-model"] === undefined ? {} : { "modelRoles.slow": options["slow-model"] }),
    ...(options["plan-model"] === undefined ? {} : { "modelRoles.plan": options["plan-model"] }),
    ...(options.thinking === undefined ? {} : { defaultThinkingLevel: options.thinking }),
    ...(options.sandbox ? { "sandbox.enabled": true } : {}),
    ...(options["no-pty"] ? { "bash.pty": false } : {}),
    ...(options["permission-mode"] === undefined ? {} : { permissionMode: options["permission-mode"] }),
  };
}
