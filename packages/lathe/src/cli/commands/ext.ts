// `lathe ext list|enable|disable|new`: the extensions found here, turning them on and off, and a file to start from.

import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import sample from "../../additions/extensions/new-extension.md";
import { offFileOf, readTurnedOff, turnOn } from "../../additions/extensions/off.ts";
import { findSources, nameOf } from "../../additions/extensions/sources.ts";
import { writeSetting } from "../../config/settings/write.ts";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { Run } from "../../hosts/run.ts";
import { shownPath } from "../../platform/home/shown-path.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { EXIT, type ExitCode, usageError } from "../../platform/usage/exit.ts";
import { listing, type Named } from "../../sessions/tables/listing.ts";
import type { Command } from "./command.ts";

const KINDS = ["extension", "tool", "hook"] as const;
const USAGE = "lathe ext list | enable <name> | disable <name> | new <name> [--user]";

export const extCommand: Command = async (argv, machine) => {
  const [verb = "list", name, ...more] = argv;
  if (verb === "list" && name === undefined) return list(machine);
  if (name === undefined || more.some((word) => word !== "--user")) throw usageError(`Use: ${USAGE}`);
  switch (verb) {
    case "enable":
      return turn(machine, name, true);
    case "disable":
      return turn(machine, name, false);
    case "new":
      return create(machine, name, more.includes("--user"));
    default:
      throw usageError(`Unknown command "lathe ext ${verb}". Use: ${USAGE}`);
  }
};

async function list(machine: Machine): Promise<ExitCode> {
  const workspace = await new Run(machine).open({});
  const { sources, problems } = await findSources(workspace);
  const off = readTurnedOff(offFileOf(workspace));
  const rows: Named[] = sources.map(({ kind, name, file, from }) => {
    const state = off[file] === undefined ? "on" : `off: it ${off[file]?.reason}`;
    return [name, `${state}; ${kind} of ${from}, ${shownPath(file, machine.userHome)}`];
  });
  const active = new Set(sources.map(({ file }) => file));
  for (const kind of KINDS)
    for (const { name, source, ignored, shadowedBy } of (await (await workspace.discovery()).of(kind)).all)
      if (!active.has(source.path) && (ignored !== undefined || shadowedBy))
        rows.push([
          name,
          `off: ${ignored ?? `shadowed by ${shadowedBy?.path}`}; ${kind} of ${source.level}, ${source.path}`,
        ]);
  for (const problem of problems) machine.stderr.write(`lathe: ${problem}\n`);
  machine.stdout.write(
    rows.length === 0 ? "There are no extensions here. To write one: lathe ext new <name>\n" : `${listing(rows)}\n`,
  );
  return EXIT.done;
}

async function turn(machine: Machine, name: string, isOn: boolean): Promise<ExitCode> {
  const workspace = await new Run(machine).open({});
  const known = (
    await Promise.all(KINDS.map(async (kind) => (await (await workspace.discovery()).of(kind)).all))
  ).flat();
  const items = known.filter((one) => one.name === name).map(({ kind }) => `${kind}:${name}`);
  const wasOff = isOn && turnOn(offFileOf(workspace), name);
  if (items.length === 0 && !wasOff)
    throw usageError(
      unknown(
        workspace,
        name,
        known.map((one) => one.name),
      ),
    );
  const disabled = workspace.settings["discovery.disabledItems"];
  const left = disabled.filter((item) => !items.includes(item));
  await writeSetting(workspace.paths.config, "discovery.disabledItems", isOn ? left : [...left, ...items]);
  machine.stdout.write(`${name} is ${isOn ? "on" : "off"}.\n`);
  return EXIT.done;
}

function unknown({ settings }: Workspace, name: string, names: readonly string[]): string {
  const isNamed = settings.extensions.some((path) => nameOf(path) === name);
  if (isNamed) return `${name} comes from the setting extensions. Remove it there: lathe config set extensions`;
  return `There is no extension ${name}. ${names.length === 0 ? "To write one: lathe ext new <name>" : `Available: ${names.join(", ")}.`}`;
}

async function create(machine: Machine, name: string, isUsers: boolean): Promise<ExitCode> {
  if (!/^[a-z][\w-]*$/i.test(name)) throw usageError(`"${name}" cannot be a file name: use letters, digits and -.`);
  const workspace = await new Run(machine).open({});
  const folder = isUsers ? workspace.paths.home : `${workspace.cwd}/.lathe`;
  const file = `${folder}/extensions/${name}.ts`;
  if (existsSync(file)) throw usageError(`${file} exists already.`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, sample.replaceAll("NAME", name));
  const shown = isUsers ? shownPath(file, machine.userHome) : relative(workspace.cwd, file);
  const trust = isUsers ? "" : " To let it take effect: lathe trust.";
  machine.stdout.write(`Wrote ${shown}.${trust} Then try: lathe -p "/${name} world"\n`);
  return EXIT.done;
}
