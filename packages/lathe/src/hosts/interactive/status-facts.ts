// The facts in the status line, from the present state of the conversation.

import { dirname, isAbsolute, join, resolve } from "node:path";
import type { Session } from "@lathe/agent";
import { roomIn } from "@lathe/agent/context";
import { isJsonObject } from "@lathe/llm";
import { isOver } from "../../additions/workflows/definitions.ts";
import { WORKFLOW_FACT, type WorkflowState } from "../../additions/workflows/workflow.ts";
import { listJobs } from "../../conversation/commands/jobs.ts";
import { shownPath } from "../../platform/home/shown-path.ts";
import { readIfThere } from "../../platform/home/small-file.ts";
import { VERIFICATION_ENTRY } from "../../sessions/verdict.ts";
import type { Controller } from "./controller.ts";
import type { StatusFacts } from "./status-line/status-line.ts";

export class ConversationFacts {
  readonly #controller: () => Controller | undefined;
  #branch: { readonly cwd: string; readonly name: string | undefined } | undefined;

  constructor(controller: () => Controller | undefined) {
    this.#controller = controller;
  }

  /** Reads the branch again, because work may have changed it. */
  refresh(): void {
    this.#branch = undefined;
  }

  get facts(): StatusFacts | undefined {
    const { conversation } = this.#controller() ?? {};
    if (!conversation) return undefined;
    const { session, model, permissions, open, workspace } = conversation;
    const { cwd, machine } = workspace;
    const contextWindow = session.profile.contextWindowSize;
    const { settings } = open.compaction;
    const isAutomatic = settings.enabled && settings.strategy !== "off" && contextWindow > 0;
    if (this.#branch?.cwd !== cwd) this.#branch = { cwd, name: branchOf(cwd) };
    return {
      model: `${model.provider}/${model.id}`,
      effort: session.config.reasoningEffort,
      contextTokens: session.contextTokens,
      contextWindow,
      compactsAt: isAutomatic ? roomIn(contextWindow, 0, settings).threshold : undefined,
      cost: session.usage.cost,
      cwd: shownPath(cwd, machine.userHome),
      view: workspace.view?.id,
      branch: this.#branch.name,
      permissionMode: permissions.mode,
      isSandboxed: session.env.isSandboxed,
      jobs: listJobs(conversation).filter(({ isRunning }) => isRunning).length,
      children: session.subagents.directory.running,
      verdict: verdictOf(session),
      workflow: workflowOf(session),
    };
  }
}

/** The verdict on the last input that ended, in a session with checks. */
function verdictOf({ journal: { input }, facts }: Session): string | undefined {
  const verdict = input?.state === "end" ? input.verification?.verdict : undefined;
  if (verdict !== "unverified") return verdict === "none" ? undefined : verdict;
  const evidence = facts.read(VERIFICATION_ENTRY);
  const isAccepted = isJsonObject(evidence) && evidence["acceptedInput"] === input?.entryId;
  return isAccepted ? "accepted" : verdict;
}

/** The branch, read from git's files without starting a process. Undefined outside a repository. */
function branchOf(cwd: string): string | undefined {
  for (let at = cwd; ; at = dirname(at)) {
    const head = headIn(join(at, ".git"), at);
    if (head !== undefined) return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? head.slice(0, 8);
    if (at === dirname(at)) return undefined;
  }
}

/** The workflow that is in progress. */
function workflowOf({ facts }: Session): string | undefined {
  const fact = facts.read(WORKFLOW_FACT) as unknown as WorkflowState | undefined;
  if (fact === undefined || isOver(fact)) return undefined;
  return `${fact.workflow}: ${fact.state}`;
}

/** `.git` is a folder, or in a worktree a file that contains its path. */
function headIn(git: string, at: string): string | undefined {
  try {
    return readIfThere(join(git, "HEAD"))?.trim() ?? linkedHead(readIfThere(git), at);
  } catch {
    return undefined; // not readable, or a folder without a HEAD
  }
}

function linkedHead(link: string | undefined, at: string): string | undefined {
  const folder = /^gitdir: (.+)$/m.exec(link ?? "")?.[1];
  return folder && readIfThere(join(isAbsolute(folder) ? folder : resolve(at, folder), "HEAD"))?.trim();
}
