// The isolated agents of a session: where their copies are kept, and the settings for them.

import type { ExecutionEnvironment, Journal } from "@lathe/agent";
import {
  IsolatedAgents,
  type IsolatedAgentsOptions,
  type IsolationRequest,
  plainCommitMessage,
} from "@lathe/agent/agents";
import { type Delta, patchOf, type ViewKind } from "@lathe/agent/files";
import { personalIgnoreFile } from "@lathe/agent/world";
import { hostOptions, sandboxOptions } from "../../config/workspace/this-machine.ts";
import type { Workspace } from "../../config/workspace/workspace.ts";
import type { FileHistory } from "../rewind/file-history.ts";
import { type AsksModel, askForMessage } from "./commit-message.ts";
import { recoverViews } from "./recover-views.ts";
import { howToDrop, storeOf } from "./view-store.ts";

export interface IsolatedWorkParts {
  readonly workspace: Workspace;
  readonly journal: Journal;
  /** The session's folder, where patches are kept. */
  readonly folder?: string | undefined;
  readonly history: FileHistory | undefined;
  /** The wrapper that the session puts around its own environment. */
  readonly guard: (env: ExecutionEnvironment) => ExecutionEnvironment;
}

export class IsolatedWork {
  readonly #workspace: Workspace;
  readonly agents: IsolatedAgents;
  /** Messages from before the session could show them. */
  readonly #unsaid: string[] = [];
  #warn: ((message: string) => void) | undefined;
  #beside: AsksModel | undefined;

  constructor({ workspace, journal, folder, history, guard }: IsolatedWorkParts) {
    this.#workspace = workspace;
    const warn = (message: string): void => this.#warn?.(message);
    const image = (): string => workspace.settings["task.isolation.image"];
    const options: IsolatedAgentsOptions = {
      root: workspace.cwd,
      store: storeOf(workspace),
      patches: folder ?? workspace.paths.patches,
      journal,
      // A new value each time: each copy owns its processes, and the settings may change during the session.
      get host() {
        return hostOptions(workspace, warn);
      },
      get sandbox() {
        return sandboxOptions(workspace);
      },
      get container() {
        return image() === "" ? undefined : { image: image() };
      },
      get mode() {
        return workspace.settings["task.isolation.merge"];
      },
      personalIgnores: personalIgnoreFile(workspace.env),
      kind: (type) => kindOf(type?.isolation, workspace.settings["task.isolation.mode"]),
      commitMessage: (work, signal) => this.#commitMessage(work, signal),
      guard,
      history,
      warn,
      howToDrop,
    };
    this.agents = new IsolatedAgents(options);
  }

  /** Undoes and removes what killed processes left behind, before a caller asks what became of it. */
  async recover(): Promise<void> {
    this.#unsaid.push(...(await recoverViews(this.#workspace)));
  }

  opened(warn: (message: string) => void, beside: AsksModel): void {
    for (const line of this.#unsaid) warn(line);
    this.#warn = warn;
    this.#beside = beside;
  }

  async #commitMessage(
    { agentId, task, delta }: Pick<IsolationRequest, "agentId" | "task"> & { readonly delta: Delta },
    signal: AbortSignal,
  ): Promise<string> {
    const { settings, cwd, env } = this.#workspace;
    if (settings["task.isolation.commits"] !== "ai" || !this.#beside) return plainCommitMessage(agentId, task);
    const patch = await patchOf(delta, cwd, { baseEnv: env });
    const written = await askForMessage({ agentId, task, patch: patch.toString("utf8") }, this.#beside, signal);
    if (written.problem !== undefined) this.#warn?.(`The commit of ${agentId} has a plain message: ${written.problem}`);
    return written.message;
  }
}

/** The agent's file takes precedence over the setting, unless it leaves the choice to it. */
function kindOf(own: string | undefined, mode: string): ViewKind | "auto" {
  if (mode === "none") throw new Error("task.isolation.mode is none. Set it to auto, or start another agent.");
  const wanted = own === undefined || own === "none" || own === "auto" ? mode : own;
  return (wanted === "fuse-overlay" ? "overlay" : wanted) as ViewKind | "auto";
}
