// Machines on which the model may run commands, from ssh.json files: the project's, then the user's. The first file
// that names a host wins.

import { existsSync, readFileSync, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { isJsonObject, messageOf } from "@lathe/llm";
import { isTrusted, isUnchangedSinceTrust } from "../../config/trust/trust.ts";
import type { Workspace } from "../../config/workspace/workspace.ts";

export interface SshHost {
  readonly name: string;
  readonly host: string;
  readonly username?: string | undefined;
  readonly port?: number | undefined;
  readonly keyPath?: string | undefined;
}

export interface FoundHosts {
  readonly hosts: readonly SshHost[];
  readonly warnings: readonly string[];
}

interface Candidate {
  readonly file: string;
  readonly isProjects: boolean;
}

function candidates({ cwd, paths }: Workspace): readonly Candidate[] {
  const ofProject = (name: string): Candidate => ({ file: join(cwd, name), isProjects: true });
  return [
    ofProject(".lathe/ssh.json"),
    { file: join(paths.home, "ssh.json"), isProjects: false },
    ofProject("ssh.json"),
    ofProject(".ssh.json"),
  ];
}

/** Whether there is any file to read. */
export const hasSshFiles = (workspace: Workspace): boolean =>
  candidates(workspace).some(({ file }) => existsSync(file));

export function findHosts(workspace: Workspace): FoundHosts {
  const { cwd, paths, machine } = workspace;
  const hosts = new Map<string, SshHost>();
  const warnings: string[] = [];
  for (const { file, isProjects } of candidates(workspace)) {
    if (!existsSync(file)) continue;
    // A stranger's host is a place to which secrets could be sent.
    if (isProjects && !(isTrusted(paths.trust, cwd, machine.userHome) && isUnchangedSinceTrust(paths.trust, file))) {
      warnings.push(`${file} has no effect until you trust it: lathe trust`);
      continue;
    }
    try {
      for (const host of readHosts(file, workspace)) if (!hosts.has(host.name)) hosts.set(host.name, host);
    } catch (error) {
      warnings.push(`${file}: ${messageOf(error)}`);
    }
  }
  return { hosts: [...hosts.values()], warnings };
}

function* readHosts(file: string, workspace: Workspace): Iterable<SshHost> {
  const value: unknown = JSON.parse(readFileSync(file, "utf8"));
  const table = objectOf(objectOf(value, "the file")["hosts"] ?? value, "hosts");
  const text = (given: unknown): string | undefined =>
    typeof given === "string" && given !== "" ? expandVariables(given, workspace) : undefined;
  for (const [name, row] of Object.entries(table)) {
    const given = objectOf(row, `the host ${name}`);
    const host = text(given["host"]);
    if (host === undefined) throw new Error(`the host ${name} has no "host"`);
    // An address that begins with a dash would be an option of the client.
    if (host.startsWith("-")) throw new Error(`the address of the host ${name} is an option: ${host}`);
    const port = given["port"] === undefined ? undefined : Number(given["port"]);
    if (port !== undefined && !(Number.isInteger(port) && port > 0 && port < 65_536))
      throw new Error(`the port of the host ${name} is not a number from 1 to 65535`);
    const key = text(given["keyPath"] ?? given["key"]);
    yield {
      name,
      host,
      username: text(given["username"] ?? given["user"]),
      port,
      keyPath: key === undefined || isAbsolute(key) ? key : resolve(workspace.cwd, key),
    };
  }
}

function objectOf(value: unknown, what: string): Record<string, unknown> {
  if (isJsonObject(value)) return value;
  throw new Error(`${what} must be an object`);
}

/** Expands `~`, `$NAME` and `${NAME}`; as in a shell, an unset variable is empty. */
const expandVariables = (text: string, { env, machine }: Workspace): string =>
  text
    .replace(/\$(?:\{(\w+)\}|(\w+))/g, (_, braced?: string, plain?: string) => env[braced ?? plain ?? ""] ?? "")
    .replace(/^~(?=\/|$)/, machine.userHome);

/** Why the key cannot be used. ssh itself would only say that access was denied. */
export function keyProblem(path: string): string | undefined {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) return `SSH key not found: ${path}`;
  if (!stat.isFile()) return `SSH key is not a file: ${path}`;
  return (stat.mode & 0o077) === 0 ? undefined : `SSH key permissions must be 600 or stricter: ${path}`;
}
