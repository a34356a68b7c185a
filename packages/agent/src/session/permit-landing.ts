// Asks whether the work of an isolated agent may be applied. It is judged like a call that writes these files and runs
// this check.

import type { LandingCall } from "../agents/subagents/types.ts";
import { CallPaths } from "../contract/paths/call-paths.ts";
import type { ToolDef } from "../contract/tool.ts";
import { commandAccess } from "../tools/builtin/shell/access.ts";
import { askApproval } from "./call/approval.ts";
import { previewOf } from "./call/preview.ts";
import type { HostChoices, SessionLog, Toolbox } from "./facades.ts";

/** No model calls this tool; it only gives the judgement a name. */
const LANDING: ToolDef = {
  name: "land",
  label: "Landing",
  description: "",
  schema: {},
  tier: "write",
  replay: "never",
  preview: ({ files }) => ({
    lines: (files as string[]).map((path) => ({ text: `Write ${path}`, kind: "heading" })),
    shows: ["files"],
  }),
  execute: () => "",
};

/** Returns undefined if the work may be applied, otherwise the reason. */
export async function permitLanding(
  core: SessionLog & HostChoices & Toolbox,
  { agentId, files, verify }: LandingCall,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { env } = core.options;
  const scope = { env, signal, paths: new CallPaths(env, signal), services: core.services };
  const check = verify === undefined ? [] : await commandAccess(verify, env.workingDirectory(), scope);
  const args = { files: [...files], ...(verify === undefined ? {} : { verify }) };
  return askApproval(core, signal, {
    callId: `landing-${agentId}`,
    tool: LANDING,
    args,
    tier: verify === undefined ? "write" : "exec",
    summary: `changes of ${agentId}: ${files.length === 1 ? "1 file" : `${files.length} files`}`,
    access: [...check, ...files.map((path) => ({ kind: "write" as const, path }))],
    preview: () => previewOf(LANDING, args, scope),
  });
}
