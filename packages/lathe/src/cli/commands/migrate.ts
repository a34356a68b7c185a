// `lathe migrate [--from <agent>] [--scope user|project] [--apply] [--force] [--json]`: imports the configuration of
// other agents.

import { placeOf } from "../../found/discovery/place.ts";
import { homePaths } from "../../platform/home/paths.ts";
import { shownPath } from "../../platform/home/shown-path.ts";
import { EXIT, usageError } from "../../platform/usage/exit.ts";
import { backUp } from "../migrate/files.ts";
import { type Plan, planMigration } from "../migrate/plan.ts";
import { AGENTS, type AgentName, type PlannedAction, type Targets } from "../migrate/types.ts";
import type { Command } from "./command.ts";
import { verbArgs } from "./verb-args.ts";

export const migrateCommand: Command = async (argv, machine) => {
  const { values, positionals } = verbArgs(
    argv,
    {
      from: { type: "string", default: "all" },
      scope: { type: "string", default: "user" },
      apply: { type: "boolean", default: false },
      force: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
    },
    "migrate",
  );
  if (positionals.length > 0)
    throw usageError(`lathe migrate takes options only, not ${positionals[0]}. See: lathe migrate --help`);
  const agents = values.from === "all" ? AGENTS : AGENTS.filter((name) => name === values.from);
  if (agents.length === 0) throw usageError(`--from takes ${AGENTS.join(", ")} or all, not ${values.from}.`);
  const scope = values.scope;
  if (scope !== "user" && scope !== "project") throw usageError(`--scope takes user or project, not ${scope}.`);
  const paths = homePaths(machine.env, machine.userHome);
  const place = placeOf({ cwd: machine.cwd, machine, paths });
  const targets = targetsOf(scope === "user" ? paths.home : `${place.root}/.lathe`);
  const plan = await planMigration({ place, agents, scope, targets, force: values.force });
  const backups = values.apply ? await apply(plan.actions) : [];
  const report = { applied: values.apply, actions: plan.actions.map(({ write: _, ...action }) => action), backups };
  machine.stdout.write(
    values.json
      ? `${JSON.stringify(report, null, 2)}\n`
      : formatPlan(plan, { argv, isApplied: values.apply, backups, userHome: machine.userHome }),
  );
  return EXIT.done;
};

const targetsOf = (folder: string): Targets => ({
  folder,
  config: `${folder}/config.yml`,
  models: `${folder}/models.yml`,
  servers: `${folder}/mcp.json`,
});

/** Each file that changes is copied once before the first change. */
async function apply(actions: readonly PlannedAction[]): Promise<readonly string[]> {
  const saved = new Set<string>();
  const backups: string[] = [];
  for (const { target, write } of actions) {
    if (write === undefined) continue;
    if (target !== undefined && !saved.has(target)) {
      saved.add(target);
      const copy = await backUp(target);
      if (copy !== undefined) backups.push(copy);
    }
    await write();
  }
  return backups;
}

const HEADINGS = [
  ["create", "Will be created", "Created"],
  ["conflict", "Left alone, because something else exists", "Left alone, because something else exists"],
  ["unsupported", "Has no counterpart", "Has no counterpart"],
  ["skipped", "Already exists", "Already exists"],
] as const;

interface Shown {
  /** The words of the command as given. */
  readonly argv: readonly string[];
  readonly isApplied: boolean;
  readonly backups: readonly string[];
  readonly userHome: string;
}

function formatPlan({ actions, warnings }: Plan, { argv, isApplied, backups, userHome }: Shown): string {
  const path = (file: string): string => shownPath(file, userHome);
  const lines = warnings.map(
    ({ path: file, line, message }) => `${path(file)}${line === undefined ? "" : `:${line}`}: ${message}`,
  );
  for (const [state, planned, done] of HEADINGS) {
    const some = actions.filter((action) => action.state === state);
    if (some.length === 0) continue;
    lines.push("", `${isApplied ? done : planned}:`);
    for (const { subject, name, from, source, target, reason } of some) {
      const way = target === undefined ? path(source) : `${path(source)} -> ${path(target)}`;
      const why = reason === undefined || state === "skipped" ? "" : `: ${reason}`;
      lines.push(`  ${subject} ${name} (${from}, ${way})${why}`);
    }
  }
  if (actions.length === 0) lines.push(`No files of ${namesOf(AGENTS)} were found.`);
  else if (isApplied) lines.push("", ...backups.map((file) => `Backup: ${path(file)}`), "Done.");
  else if (actions.some(({ state }) => state === "create"))
    lines.push("", `Nothing was written. To do it: ${["lathe", "migrate", ...argv, "--apply"].join(" ")}`);
  else lines.push("", "There is nothing to do.");
  return `${lines.join("\n").trim()}\n`;
}

const namesOf = (names: readonly AgentName[]): string => names.join(", ");
