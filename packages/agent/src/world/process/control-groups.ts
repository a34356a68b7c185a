// The kernel's control groups: the one we are in, and one below it for the commands of a session, if we may create it.

import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Limits for all commands of a session together. Absent or 0: no limit. */
export interface ResourceLimits {
  readonly memoryMb?: number | undefined;
  readonly cpus?: number | undefined;
  readonly processes?: number | undefined;
}

/** Folders of this process's groups, by controller. */
export interface ControlGroups {
  readonly version: 1 | 2;
  readonly memory: readonly string[];
  readonly cpu: readonly string[];
  readonly pids: readonly string[];
}

type Controller = "memory" | "cpu" | "pids";

const NO_GROUPS: ControlGroups = { version: 2, memory: [], cpu: [], pids: [] };

export function ownGroups(): ControlGroups {
  try {
    return groupsOf(readFileSync("/proc/self/cgroup", "utf8"), readFileSync("/proc/self/mountinfo", "utf8"));
  } catch {
    return NO_GROUPS; // no control groups on this system
  }
}

/** Parsed from /proc/self/cgroup and /proc/self/mountinfo. */
export function groupsOf(membership: string, mounts: string): ControlGroups {
  const folder = (controller: Controller): string[] => {
    const line = membership.split("\n").find((row) => row.split(":")[1]?.split(",").includes(controller));
    return line === undefined ? [] : folderIn(mounts, "cgroup", line, controller);
  };
  if (folder("memory").length > 0)
    return { version: 1, memory: folder("memory"), cpu: folder("cpu"), pids: folder("pids") };
  const line = membership.split("\n").find((row) => row.startsWith("0::"));
  const own = line === undefined ? [] : folderIn(mounts, "cgroup2", line);
  return { version: 2, memory: own, cpu: own, pids: own };
}

function folderIn(mounts: string, type: string, membershipLine: string, controller?: Controller): string[] {
  const path = membershipLine.split(":").slice(2).join(":");
  for (const row of mounts.split("\n")) {
    const [front = "", back = ""] = row.split(" - ");
    const [, , , root = "", place = ""] = front.split(" ");
    const [kind, , options = ""] = back.split(" ");
    if (kind !== type || (controller && !options.split(",").includes(controller))) continue;
    const below = path === root || root === "/" ? path.slice(root === "/" ? 0 : root.length) : path.slice(root.length);
    return [join(place, below)];
  }
  return [];
}

/** A control group for the commands of a session. */
export interface CommandGroup {
  /** Files into which a process writes its id to join. */
  readonly doors: readonly string[];
  /** The limits that the kernel enforces. */
  readonly enforced: ReadonlySet<keyof ResourceLimits>;
  /** Number of processes that the kernel killed because memory was used up. */
  memoryKills(): number;
  remove(): void;
}

/** Undefined if none of the limits can be enforced this way. */
export function makeCommandGroup(limits: ResourceLimits, name: string, groups = ownGroups()): CommandGroup | undefined {
  const wanted: { limit: keyof ResourceLimits; controller: Controller; file: string; value: string }[] = [];
  const one = groups.version === 1;
  const { memoryMb = 0, cpus = 0, processes = 0 } = limits;
  if (memoryMb > 0) {
    const file = one ? "memory.limit_in_bytes" : "memory.max";
    wanted.push({ limit: "memoryMb", controller: "memory", file, value: String(memoryMb * 2 ** 20) });
  }
  if (processes > 0)
    wanted.push({ limit: "processes", controller: "pids", file: "pids.max", value: String(processes) });
  if (cpus > 0) {
    const quota = Math.round(cpus * 100_000);
    const [file, value] = one ? ["cpu.cfs_quota_us", String(quota)] : ["cpu.max", `${quota} 100000`];
    wanted.push({ limit: "cpus", controller: "cpu", file, value });
  }
  const made = new Set<string>();
  const enforced = new Set<keyof ResourceLimits>();
  let memory: string | undefined;
  for (const { limit, controller, file, value } of wanted) {
    const folder = candidates(groups[controller], groups.version)
      .map((parent) => join(parent, name))
      .find((path) => setLimit(path, file, value, made));
    if (folder === undefined) continue;
    enforced.add(limit);
    if (limit === "memoryMb") memory = folder;
  }
  if (enforced.size === 0) {
    for (const path of made) removeGroup(path);
    return undefined;
  }
  return {
    doors: [...made].map((path) => join(path, "cgroup.procs")),
    enforced,
    memoryKills: () => (memory === undefined ? 0 : killsIn(memory, one)),
    remove: () => {
      for (const path of made) removeGroup(path);
    },
  };
}

/** In version 2, a group that contains processes cannot have limited subgroups, but a sibling can. */
const candidates = (folders: readonly string[], version: 1 | 2): string[] =>
  version === 1 ? [...folders] : folders.flatMap((folder) => [folder, dirname(folder)]);

function setLimit(path: string, file: string, value: string, made: Set<string>): boolean {
  const isNew = !made.has(path);
  try {
    if (isNew) mkdirSync(path);
    // We never create this file: without the controller it does not exist.
    writeFileSync(join(path, file), value, { flag: "r+" });
    made.add(path);
    return true;
  } catch {
    if (isNew) removeGroup(path);
    return false; // not writable by us: another mechanism enforces the limit
  }
}

function killsIn(folder: string, one: boolean): number {
  try {
    const text = readFileSync(join(folder, one ? "memory.oom_control" : "memory.events"), "utf8");
    return Number(/^oom_kill (\d+)/m.exec(text)?.[1] ?? 0);
  } catch {
    return 0;
  }
}

function removeGroup(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // It is missing, or something in it has not ended yet; an empty group costs nothing.
  }
}
