// An RPC session that its host has declared unattended: which commands it accepts, and what it reports.

import type { SessionDeps } from "@lathe/agent";
import type { Declaration } from "../../conversation/unattended/declaration.ts";
import type { Unattended } from "../../conversation/unattended/unattended.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { COMMANDS, type CommandName } from "./commands.ts";
import type { ResponseError } from "./frames.ts";
import { Refusal, type UnattendedHost } from "./handler.ts";
import type { RpcSession } from "./session.ts";

export class RpcUnattended implements UnattendedHost {
  readonly #current: RpcSession;
  readonly #deps: Pick<SessionDeps, "setTimer">;
  #unattended: Unattended | undefined;

  constructor(current: RpcSession, deps: Pick<SessionDeps, "setTimer">) {
    this.#current = current;
    this.#deps = deps;
  }

  refusal(command: CommandName): Exclude<ResponseError, string> | undefined {
    const refused = this.#unattended?.judge(command, COMMANDS[command].scope);
    return refused && { ...refused, command };
  }

  async negotiate(declared: unknown): Promise<{ readonly accepted: true; readonly declaration: Declaration }> {
    if (this.#unattended) throw new Refusal("already_negotiated", "The session is unattended already.");
    const { readDeclaration } = await import("../../conversation/unattended/declaration.ts");
    const read = readDeclaration(declared);
    if ("problem" in read) throw new Refusal("invalid_declaration", `${read.problem}. The session stays attended.`);
    const { conversation } = this.#current;
    if (conversation.isBusy)
      throw new Refusal("busy", "The agent is working. Declare the session before its first prompt.");
    const { open } = conversation;
    const { model } = open;
    if (!model.info?.cost && model.provider !== "practice")
      throw new Refusal(
        "unknown_price",
        `The price of ${model.provider}/${model.id} is not known, so max_cost_usd cannot be enforced. The session stays attended.`,
      );
    const { Unattended } = await import("../../conversation/unattended/unattended.ts");
    const unattended = new Unattended(read, {
      setTimer: this.#deps.setTimer,
      onStop: (dimension, message) =>
        this.#current.emit({ type: "lathe:unattended_stop", code: "budget_exhausted", dimension, message }),
    });
    unattended.enter(open);
    conversation.watch({
      onSession: (next) => unattended.enter(next),
      onEvent: (_session, event) => {
        if (event.kind === "warning" && event.data.code === "budget_exhausted")
          unattended.noteLimit(event.data.message);
      },
    });
    this.#unattended = unattended;
    return { accepted: true, declaration: read.declaration };
  }

  /** `--unattended`: the same as if the host had sent the declaration first. */
  async readFile(machine: Machine, file: string): Promise<void> {
    const { declarationIn } = await import("../unattended-file.ts");
    const { value: declared } = await declarationIn(machine.cwd, file);
    await this.negotiate(declared).catch(async (error: unknown) => {
      const { usageError } = await import("../../platform/usage/exit.ts");
      throw error instanceof Refusal ? usageError(`--unattended ${file}: ${error.message}`) : error;
    });
  }

  close(): void {
    this.#unattended?.close();
  }
}
