// `lathe policy test|explain|suggest|forget`: what may run, why, and which rules would save questions.

import { existsSync, realpathSync } from "node:fs";
import { LocalEnvironment } from "@lathe/agent";
import { CallPaths } from "@lathe/agent/contract";
import { type Decision, judge, type PermissionMode, type Policy, type Rule } from "@lathe/agent/policy";
import { commandAccess } from "@lathe/agent/tools";
import { rulesOfOptions } from "../../config/settings/rules.ts";
import { isTrusted } from "../../config/trust/trust.ts";
import type { Workspace } from "../../config/workspace/workspace.ts";
import { onDisk } from "../../found/permissions/on-disk.ts";
import { rememberedIn } from "../../found/permissions/remembered.ts";
import { Run } from "../../hosts/run.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { EXIT, type ExitCode, usageError } from "../../platform/usage/exit.ts";
import { table } from "../../sessions/tables/table.ts";
import { visible } from "../../sessions/visible.ts";
import type { Command } from "./command.ts";
import { verbArgs } from "./verb-args.ts";

const VERBS: Readonly<Record<string, (argv: readonly string[], machine: Machine) => Promise<ExitCode>>> = {
  test,
  explain,
  suggest,
  forget,
};

export const policyCommand: Command = async ([name = "", ...rest], machine) => {
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (!verb)
    throw usageError(
      `${name === "" ? "Say what to do." : `Unknown command "lathe policy ${name}".`} Choose one of ${Object.keys(VERBS).join(", ")}. See: lathe policy --help`,
    );
  return verb(rest, machine);
};

/** One command in the tested text. */
interface TestedPart {
  readonly command: string;
  readonly verdict: Decision;
  readonly reason: string;
  readonly rule?: string;
}

async function test(argv: readonly string[], machine: Machine): Promise<ExitCode> {
  const rule = { type: "string", multiple: true } as const;
  const { values, positionals } = verbArgs(
    argv,
    { allow: rule, ask: rule, deny: rule, json: { type: "boolean" } },
    "policy",
  );
  const [command, more] = positionals;
  if (command === undefined || command.trim() === "")
    throw usageError("Give a command: lathe policy test -- '<command>'");
  if (more !== undefined) throw usageError(`lathe policy test takes one command in quotes, but got "${more}" as well.`);
  const workspace = await new Run(machine).open({});
  const named = rulesOfOptions(values);
  // If the test has its own rules, only those apply: neither the list of harmless commands nor the settings.
  const policy = named.length > 0 ? policyOf(workspace, "ask", named) : effectivePolicy(workspace);
  const { verdict, parts } = await judgeText(workspace, command, policy);
  if (values.json) machine.stdout.write(`${JSON.stringify({ verdict, parts })}\n`);
  else {
    const rows = parts.map((part) => [`  ${part.verdict}`, visible(part.command), visible(part.reason)]);
    machine.stdout.write(`${verdict}\n${table(rows)}`);
  }
  return EXIT.done;
}

async function judgeText(
  workspace: Workspace,
  command: string,
  policy: Policy,
): Promise<{ verdict: Decision; parts: readonly TestedPart[] }> {
  const env = new LocalEnvironment({ cwd: workspace.cwd, baseEnv: workspace.env });
  const paths = new CallPaths(env, new AbortController().signal);
  const isFolderTrusted = () => isTrusted(workspace.paths.trust, workspace.cwd, workspace.machine.userHome);
  const access = await commandAccess(command, workspace.cwd, { env, paths, services: { isFolderTrusted } });
  const { decision, parts } = judge({ tier: "exec", access }, policy);
  return {
    verdict: decision,
    parts: parts.map(({ tier, what, decision: verdict, reason, rule }) => ({
      command: tier === "exec" ? what : `${tier} ${what}`,
      verdict,
      reason,
      ...(rule === undefined ? {} : { rule }),
    })),
  };
}

function policyOf(workspace: Workspace, mode: PermissionMode, rules: readonly Rule[]): Policy {
  const real = (path: string): string => (existsSync(path) ? realpathSync.native(path) : path);
  const homes = { userHome: real(workspace.machine.userHome), latheHome: real(workspace.paths.home) };
  return { mode, rules, places: { roots: workspace.roots, ...homes, onDisk: onDisk(homes) } };
}

function effectivePolicy(workspace: Workspace): Policy {
  const rules = [...workspace.rules, ...rememberedIn(workspace).rules()];
  return policyOf(workspace, workspace.settings.permissionMode as PermissionMode, rules);
}

const MEANINGS: Readonly<Record<PermissionMode, readonly string[]>> = {
  "read-only": [
    "reading is allowed",
    "commands that are known to change nothing are allowed",
    "everything else is denied",
  ],
  ask: ["reading is allowed", "Lathe asks about every change, command and connection"],
  "auto-edit": [
    "reading is allowed, and editing inside the working folders",
    "commands that are known to be harmless are allowed",
    "Lathe asks about other commands and connections",
  ],
  full: ["everything is allowed unless a rule denies it or asks about it"],
  plan: [
    "reading is allowed",
    "commands that are known to change nothing are allowed",
    "the session's plan may be written",
    "everything else is denied",
  ],
};

async function explain(argv: readonly string[], machine: Machine): Promise<ExitCode> {
  const { positionals } = verbArgs(argv, {}, "policy");
  if (positionals.length > 0)
    throw usageError("lathe policy explain takes no words. To judge one command: lathe policy test -- '<command>'");
  const workspace = await new Run(machine).open({});
  const mode = workspace.settings.permissionMode as PermissionMode;
  const remembered = rememberedIn(workspace).list();
  const rules = (["deny", "ask", "allow"] as const).flatMap((decision) =>
    workspace.rules.filter((rule) => rule.decision === decision),
  );
  const from = workspace.settingsOrigin.get("permissionMode") ?? "default";
  const lines = [
    `mode: ${mode} (${from})`,
    ...MEANINGS[mode].map((line) => `  ${line}`),
    ...(mode === "full"
      ? []
      : ["  Lathe always asks about dangerous commands and files that hold keys or make programs run later"]),
    `working folders: ${workspace.roots.join(", ")}`,
    rules.length === 0 ? "rules: none" : "rules, the strongest first:",
    ...rules.map(({ decision, text, origin }) => `  ${decision} ${text}  (${origin})`),
    remembered.length === 0 ? "remembered in this project: nothing" : "remembered in this project:",
    ...remembered.map(({ rule, until }) => `  allow ${rule}  (until ${new Date(until).toISOString().slice(0, 10)})`),
  ];
  machine.stdout.write(`${visible(lines.join("\n"))}\n`);
  return EXIT.done;
}

async function suggest(argv: readonly string[], machine: Machine): Promise<ExitCode> {
  const { values, positionals } = verbArgs(argv, { json: { type: "boolean" } }, "policy");
  const [session, more] = positionals;
  if (session === undefined) throw usageError("Name a session: lathe policy suggest <id>. See: lathe sessions list");
  if (more !== undefined) throw usageError(`lathe policy suggest takes one session, but got "${more}" as well.`);
  const workspace = await new Run(machine).open({});
  const { suggestedFor } = await import("../../found/permissions/suggestions.ts");
  const suggestions = await suggestedFor(workspace, session, effectivePolicy(workspace).places);
  if (values.json) machine.stdout.write(`${JSON.stringify(suggestions)}\n`);
  else if (suggestions.length === 0) machine.stdout.write("No rule would have avoided a question there.\n");
  else {
    const rows = suggestions.map(({ rule, questions }) => [
      `  ${rule}`,
      `${questions} ${questions === 1 ? "question" : "questions"}`,
    ]);
    const list = suggestions.map(({ rule }) => rule).join(",");
    machine.stdout.write(`${table(rows)}To allow them everywhere: lathe config set permissions.allow '${list}'\n`);
  }
  return EXIT.done;
}

async function forget(argv: readonly string[], machine: Machine): Promise<ExitCode> {
  verbArgs(argv, {}, "policy");
  const workspace = await new Run(machine).open({});
  const remembered = rememberedIn(workspace);
  const { length } = remembered.list();
  await remembered.clear();
  machine.stdout.write(
    `${length} ${length === 1 ? "rule" : "rules"} forgotten in ${workspace.cwd}. Running sessions ask again too.\n`,
  );
  return EXIT.done;
}
