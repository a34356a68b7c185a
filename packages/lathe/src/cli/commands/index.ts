// The subcommands, each loaded when it is used.

import type { Machine } from "../../platform/machine/machine.ts";
import type { Subcommand } from "../../platform/options/option-table.ts";
import { EXIT, type ExitCode } from "../../platform/usage/exit.ts";
import type { Command } from "./command.ts";

const COMMANDS: Readonly<Record<Subcommand, () => Promise<Command>>> = {
  acp: async () => (await import("./acp.ts")).acpCommand,
  config: async () => (await import("./config.ts")).configCommand,
  models: async () => (await import("./models.ts")).modelsCommand,
  setup: async () => (await import("./setup.ts")).setupCommand,
  login: async () => (await import("./login.ts")).loginCommand,
  logout: async () => (await import("./login.ts")).logoutCommand,
  auth: async () => (await import("./auth.ts")).authCommand,
  "auth-broker": async () => (await import("./auth-broker.ts")).authBrokerCommand,
  "auth-gateway": async () => (await import("./auth-gateway.ts")).authGatewayCommand,
  trust: async () => (await import("./trust.ts")).trustCommand,
  plugin: async () => (await import("./plugin.ts")).pluginCommand,
  migrate: async () => (await import("./migrate.ts")).migrateCommand,
  discover: async () => (await import("./discover.ts")).discoverCommand,
  goal: async () => (await import("./goal.ts")).goalCommand,
  team: async () => (await import("./team.ts")).teamCommand,
  workflow: async () => (await import("./workflow.ts")).workflowCommand,
  agents: async () => (await import("./agents.ts")).agentsCommand,
  review: async () => (await import("./review.ts")).reviewCommand,
  commit: async () => (await import("./commit.ts")).commitCommand,
  mcp: async () => (await import("./mcp.ts")).mcpCommand,
  "mcp-serve": async () => (await import("./mcp-serve.ts")).mcpServeCommand,
  coordinator: async () => (await import("./coordinator.ts")).coordinatorCommand,
  policy: async () => (await import("./policy.ts")).policyCommand,
  sessions: async () => (await import("./sessions.ts")).sessionsCommand,
  attach: async () => (await import("./attach.ts")).attachCommand,
  serve: async () => (await import("./serve.ts")).serveCommand,
  share: async () => (await import("./share.ts")).shareCommand,
  memory: async () => (await import("./memory.ts")).memoryCommand,
  rewind: async () => (await import("./rewind.ts")).rewindCommand,
  stats: async () => (await import("./stats.ts")).statsCommand,
  worktree: async () => (await import("./worktree.ts")).worktreeCommand,
  prompt: async () => (await import("./prompt.ts")).promptCommand,
  map: async () => (await import("./map.ts")).mapCommand,
  ext: async () => (await import("./ext.ts")).extCommand,
  tool: async () => (await import("./tool.ts")).toolCommand,
  replay: async () => (await import("./replay.ts")).replayCommand,
  doctor: async () => (await import("./doctor.ts")).doctorCommand,
  update: async () => (await import("./update.ts")).updateCommand,
  demo: async () => (await import("./demo.ts")).demoCommand,
  completions: async () => (await import("./completions.ts")).completionsCommand,
};

export async function runSubcommand(name: Subcommand, argv: readonly string[], machine: Machine): Promise<ExitCode> {
  // Words after the two dashes belong to another program.
  const end = argv.indexOf("--");
  const own = end < 0 ? argv : argv.slice(0, end);
  if (own.includes("--help") || own.includes("-h")) {
    const { usageOf } = await import("./usage.ts");
    machine.stdout.write(usageOf(name, machine.stdout));
    return EXIT.done;
  }
  const command = await COMMANDS[name]();
  return command(argv, machine);
}
