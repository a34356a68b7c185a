// The tool `ssh`, available if an ssh.json names a host. Each host gets one connection, opened with its first command.

import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { ToolFailure } from "@lathe/agent";
import { type SshHosts, sshTool } from "@lathe/agent/tools";
import { SshEnvironment } from "@lathe/agent/world";
import { messageOf } from "@lathe/llm";
import type { Workspace } from "../../config/workspace/workspace.ts";
import type { AdditionMaker } from "../../conversation/session-contract.ts";
import { findHosts, keyProblem, type SshHost } from "./hosts.ts";

export const sshAddition: AdditionMaker = async (workspace) => {
  const { hosts, warnings } = findHosts(workspace);
  if (hosts.length === 0 && warnings.length === 0) return undefined;
  const connections = new Connections(workspace, hosts);
  const tools = hosts.length === 0 ? [] : [sshTool(connections)];
  return {
    name: "ssh",
    toolProviders: [{ tools: () => tools }],
    opened: ({ session }) => {
      for (const warning of warnings) session.warn(warning, "ssh_hosts");
    },
    close: () => connections.close(),
  };
};

class Connections implements SshHosts {
  readonly #workspace: Workspace;
  readonly #hosts: ReadonlyMap<string, SshHost>;
  readonly #open = new Map<string, SshEnvironment>();

  constructor(workspace: Workspace, hosts: readonly SshHost[]) {
    this.#workspace = workspace;
    this.#hosts = new Map(hosts.map((host) => [host.name, host]));
  }

  get names(): readonly string[] {
    return [...this.#hosts.keys()];
  }

  address(name: string): string | undefined {
    return this.#hosts.get(name)?.host;
  }

  async environment(name: string): Promise<SshEnvironment> {
    const host = this.#hosts.get(name);
    if (!host) throw new ToolFailure(`Unknown SSH host: ${name}. Available hosts: ${this.names.join(", ")}`);
    const { env } = this.#workspace;
    const isThere = (env["PATH"] ?? "").split(delimiter).some((folder) => existsSync(join(folder, "ssh")));
    if (!isThere) throw new ToolFailure("ssh binary not found on PATH");
    const problem = host.keyPath === undefined ? undefined : keyProblem(host.keyPath);
    if (problem !== undefined) throw new ToolFailure(problem);
    const known = this.#open.get(name) ?? this.#connect(host);
    this.#open.set(name, known);
    try {
      await known.initialize();
    } catch (error) {
      throw new ToolFailure(`Failed to start SSH master for ${targetOf(host)}: ${messageOf(error)}`);
    }
    return known;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((env) => env.cleanup()));
  }

  #connect(host: SshHost): SshEnvironment {
    const { paths, env, machine } = this.#workspace;
    const knownHosts = [join(paths.home, "ssh_known_hosts"), join(machine.userHome, ".ssh/known_hosts")];
    return new SshEnvironment({
      host: targetOf(host),
      cwd: "/",
      baseEnv: env,
      sshArgs: [
        // Only ssh.json counts: the user's own configuration may forward agents and ports.
        ...["-F", "none", "-o", "StrictHostKeyChecking=accept-new"],
        ...["-o", `UserKnownHostsFile=${knownHosts.map((path) => `"${path}"`).join(" ")}`],
        ...(host.port === undefined ? [] : ["-p", String(host.port)]),
        ...(host.keyPath === undefined ? [] : ["-i", host.keyPath, "-o", "IdentitiesOnly=yes"]),
      ],
    });
  }
}

const targetOf = ({ host, username }: SshHost): string => (username === undefined ? host : `${username}@${host}`);
