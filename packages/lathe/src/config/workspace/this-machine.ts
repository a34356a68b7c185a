// The environment of a run on this machine, with or without a sandbox for commands.

import { isAbsolute, join } from "node:path";
import { EnvError, type ExecutionEnvironment, LocalEnvironment } from "@lathe/agent";
import type { ViewHost, ViewRequest } from "@lathe/agent/files";
import { ownCredentialFiles } from "@lathe/agent/policy";
import { SandboxedLocalEnvironment } from "@lathe/agent/world";
import { isDirectory } from "../../platform/home/small-file.ts";
import { usageError } from "../../platform/usage/exit.ts";
import { withheldNotice } from "./withheld-variables.ts";
import type { Workspace } from "./workspace.ts";

export interface MachineUse {
  /** Writable folders; more may be added while the session runs. */
  readonly roots: () => readonly string[];
  readonly warn: (message: string, code: string) => void;
}

export function thisMachine(workspace: Workspace, { roots, warn }: MachineUse): ExecutionEnvironment {
  const options = { cwd: workspace.cwd, ...hostOptions(workspace, warn) };
  const sandbox = sandboxOptions(workspace);
  if (!sandbox) return new LocalEnvironment(options);
  const more = placesOf(workspace, "sandbox.write").filter(isDirectory);
  return new SandboxedLocalEnvironment({
    ...options,
    ...sandbox,
    roots: () => [...roots(), ...more],
    onLeftover: (message) => warn(message, "sandbox_leftover"),
  });
}

/** The environment variables and resources of commands, wherever they run. */
export function hostOptions(workspace: Workspace, warn: MachineUse["warn"]): ViewHost {
  const { settings, machine } = workspace;
  return {
    baseEnv: workspace.env,
    envPolicy: settings["shell.environment"],
    envPass: settings["shell.env.pass"],
    owner: machine.deps.uuid(),
    limits: {
      memoryMb: settings["limits.memoryMb"],
      cpus: settings["limits.cpus"],
      processes: settings["limits.maxProcesses"],
      commandMemoryMb: settings["limits.commandMemoryMb"],
    },
    onWithheld: (names: readonly string[]) => {
      const notice = withheldNotice(workspace, names);
      if (notice !== undefined) warn(notice, "withheld_variables");
    },
  };
}

/** Undefined if commands are not confined. */
export function sandboxOptions(workspace: Workspace): ViewRequest["sandbox"] {
  const { settings, machine, paths } = workspace;
  if (!settings["sandbox.enabled"]) return undefined;
  return {
    home: machine.userHome,
    allowedHosts: settings["sandbox.network"],
    hidden: [...ownCredentialFiles(paths.home), join(paths.home, ".env"), ...placesOf(workspace, "sandbox.hide")],
    fixed: [paths.home],
    fixedNames: [".lathe"],
  };
}

function placesOf(workspace: Workspace, key: "sandbox.write" | "sandbox.hide"): string[] {
  return workspace.settings[key].map((path) => place(workspace, path));
}

/** Ends the run before any command does if the system does not let us confine commands. */
export async function checkSandbox(env: ExecutionEnvironment): Promise<void> {
  try {
    await env.initialize();
  } catch (error) {
    throw error instanceof EnvError ? usageError(error.message) : error;
  }
}

function place({ cwd, machine }: Workspace, path: string): string {
  const full = path.replace(/^~(?=\/|$)/, machine.userHome);
  return isAbsolute(full) ? full : join(cwd, full);
}
