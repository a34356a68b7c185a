// Reads a namespace once without a server: the state as it is; nothing is advanced or created.

import { existsSync } from "node:fs";
import type { Machine } from "../../platform/machine/machine.ts";
import { usageError } from "../../platform/usage/exit.ts";
import type { Configuration } from "./configuration.ts";
import type { ToolName } from "./contract.ts";
import { openCoordinator } from "./coordinator.ts";
import { Keepers } from "./keepers.ts";
import { callTool, type ToolReply } from "./tools.ts";

export async function lookOnce(
  machine: Machine,
  configuration: Configuration,
  tool: ToolName,
  args: object,
): Promise<ToolReply> {
  const { state, profile, repo } = configuration;
  if (!existsSync(state.folder))
    throw usageError(
      `No coordinator has worked here yet (namespace ${profile}/${repo}, state in ${state.base}). A bot starts one with: lathe mcp-serve coordinator. See: docs/coordinator.md`,
    );
  const coordinator = openCoordinator(machine, { ...configuration, mutations: new Set() }, { looks: true });
  const keepers = new Keepers(coordinator, { isPassive: true });
  try {
    return await callTool({ coordinator, keepers }, tool, args, new AbortController().signal);
  } finally {
    keepers.close();
    coordinator.journal.close();
  }
}
