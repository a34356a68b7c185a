// The environment of a run on this machine: plain, or with commands in a sandbox.

import { isAbsolute, join } from "node:path";
import { EnvError, type ExecutionEnvironment, LocalEnvironment, SandboxedLocalEnvironment } from "@lathe/agent";
import { isDirectory } from "../home/small-file.ts";
import { usageError } from "../usage/exit.ts";
import { withheldNotice } from "./withheld-variables.ts";
import type { Workspace } from "./workspace.ts";

export interface MachineUse {
  /** Folders that may be written to; more may be added while the session runs. */
  readonly roots: () => readonly string[];
  readonly warn: (message: string, code: string) => void;
}

export function thisMachine(workspace: Workspace, { roots, warn }: MachineUse): ExecutionEnvironment {
  const { settings, machine, paths } = workspace;
  const options = {
    cwd: workspace.cwd,
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
  if (!settings["sandbox.enabled"]) return new LocalEnvironment(options);
  const places = (key: "sandbox.write" | "sandbox.hide"): string[] =>
    settings[key].map((path) => place(workspace, path));
  const more = places("sandbox.write").filter(isDirectory);
  return new SandboxedLocalEnvironment({
    ...options,
    roots: () => [...roots(), ...more],
    home: machine.userHome,
    allowedHosts: settings["sandbox.network"],
    hidden: [paths.auth, join(paths.home, ".env"), ...places("sandbox.hide")],
    fixed: [paths.home],
    fixedNames: [".lathe"],
  });
}

/** Before anything runs: where the system does not let us confine commands, the run ends here. */
export async function confined(env: ExecutionEnvironment): Promise<void> {
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
