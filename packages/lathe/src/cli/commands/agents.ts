// `lathe agents list|show|check|new`: the available agents, the contents of their files, and a file to start from.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readAgentFile } from "../../found/agents/agent-file.ts";
import { sourceName } from "../../found/agents/agent-labels.ts";
import { type Agent, type AgentListing, agentsOf } from "../../found/agents/agents.ts";
import { BUNDLED_FILES } from "../../found/agents/bundled/index.ts";
import sample from "../../found/agents/new-agent.md";
import { type Frontmatter, parseMarkdown } from "../../found/discovery/frontmatter.ts";
import { warningLine } from "../../found/discovery/warning-line.ts";
import { Run } from "../../hosts/run.ts";
import { shownPath } from "../../platform/home/shown-path.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { EXIT, type ExitCode, usageError } from "../../platform/usage/exit.ts";
import { nearest } from "../../platform/usage/nearest.ts";
import { listing } from "../../sessions/tables/listing.ts";
import { frontmatterProblems } from "./agent-problems.ts";
import type { Command } from "./command.ts";
import { verbArgs } from "./verb-args.ts";

const USAGE = "lathe agents list [--json] | show <name> | check [file] | new <name> [--user]";

export const agentsCommand: Command = async (argv, machine) => {
  const { values, positionals } = verbArgs(argv, { json: { type: "boolean" }, user: { type: "boolean" } }, "agents");
  const [verb = "list", name, ...more] = positionals;
  if (more[0] !== undefined) throw usageError(`Use: ${USAGE}`);
  if (verb === "check") return check(machine, name);
  if (verb === "list" && name === undefined) return list(machine, values.json === true);
  if (name !== undefined && verb === "show") return show(machine, name);
  if (name !== undefined && verb === "new") return create(machine, name, values.user === true);
  throw usageError(`Use: ${USAGE}`);
};

async function list(machine: Machine, isJson: boolean): Promise<ExitCode> {
  const found = await agentsOf(await new Run(machine).open({}));
  if (isJson) {
    machine.stdout.write(`${JSON.stringify(jsonOf(found), null, 2)}\n`);
    return EXIT.done;
  }
  machine.stdout.write(
    `${listing(found.active.map((agent) => [agent.name, `${agent.description} (${sourceName(agent)})`]))}\n`,
  );
  if (found.unused.length > 0) {
    const rows = found.unused.map(
      ({ name, source, why }) => [name, `${why}; ${shownPath(source.path, machine.userHome)}`] as const,
    );
    machine.stdout.write(`\nWithout effect\n${listing(rows)}\n`);
  }
  for (const warning of found.warnings) machine.stderr.write(`lathe: ${warningLine(warning)}\n`);
  return EXIT.done;
}

const jsonOf = ({ active, unused, warnings }: AgentListing): object => ({
  agents: active.map((agent) => ({
    name: agent.name,
    description: agent.description,
    source: sourceName(agent),
    ...(agent.source ? { path: agent.source.path } : {}),
  })),
  unused: unused.map(({ name, source, why }) => ({ name, path: source.path, why })),
  warnings: warnings.map(warningLine),
});

async function show(machine: Machine, name: string): Promise<ExitCode> {
  const { active } = await agentsOf(await new Run(machine).open({}));
  const agent = active.find((one) => one.name === name) ?? active.find((one) => one.aliases.includes(name));
  if (!agent) throw unknown(name, active);
  machine.stdout.write(agent.source ? readFileSync(agent.source.path, "utf8") : (BUNDLED_FILES[agent.name] ?? ""));
  return EXIT.done;
}

function unknown(name: string, active: readonly Agent[]): Error {
  const names = active.map((one) => one.name);
  const guess = nearest(name, names);
  return usageError(
    `There is no agent ${name}.${guess ? ` Did you mean ${guess}?` : ""} Available: ${names.join(", ")}.`,
  );
}

/** Checks one file, or all that are found here. */
async function check(machine: Machine, file: string | undefined): Promise<ExitCode> {
  const problems = file === undefined ? await problemsHere(machine) : await problemsIn(resolve(machine.cwd, file));
  for (const problem of problems) machine.stderr.write(`lathe: ${problem}\n`);
  if (problems.length === 0) machine.stdout.write("All agent files can be used.\n");
  return problems.length === 0 ? EXIT.done : EXIT.failed;
}

async function problemsHere(machine: Machine): Promise<readonly string[]> {
  const workspace = await new Run(machine).open({});
  const { warnings } = await agentsOf(workspace);
  const { all } = await (await workspace.discovery()).of("agent");
  // Files of other agents may contain entries that only those agents understand.
  const ours = all.filter(({ source }) => source.provider === "native");
  const more = await Promise.all(ours.map(({ source, value }) => notedIn(source.path, value.frontmatter)));
  return [...warnings.map(warningLine), ...more.flat()];
}

const notedIn = async (path: string, frontmatter: Frontmatter): Promise<readonly string[]> =>
  (await frontmatterProblems(frontmatter)).map((message) => warningLine({ path, message }));

async function problemsIn(path: string): Promise<readonly string[]> {
  if (!existsSync(path)) throw usageError(`There is no file ${path}.`);
  const { problem, ...value } = parseMarkdown(readFileSync(path, "utf8"));
  if (problem) return [warningLine({ path, ...problem })];
  const { name } = value.frontmatter;
  if (typeof name !== "string") return [warningLine({ path, message: "it has no name" })];
  const file = readAgentFile(name, { ...value, folder: dirname(path) }, path);
  if ("problem" in file) return [warningLine({ path, message: file.problem })];
  return notedIn(path, value.frontmatter);
}

async function create(machine: Machine, name: string, isUsers: boolean): Promise<ExitCode> {
  const workspace = await new Run(machine).open({});
  const text = sample.replace("{{name}}", name);
  const { frontmatter, body } = parseMarkdown(text);
  const file = readAgentFile(name, { frontmatter, body, folder: "" }, name);
  if ("problem" in file) throw usageError(`That name cannot be used: ${file.problem}.`);
  const path = join(isUsers ? workspace.paths.home : join(workspace.cwd, ".lathe"), "agents", `${name}.md`);
  if (existsSync(path)) throw usageError(`${shownPath(path, machine.userHome)} exists already.`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  const trust = isUsers ? "" : " It takes effect when this folder is trusted: lathe trust";
  machine.stdout.write(`Wrote ${shownPath(path, machine.userHome)}.${trust}\n`);
  return EXIT.done;
}
