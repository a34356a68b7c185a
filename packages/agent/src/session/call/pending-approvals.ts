// Questions about calls that wait for the host's answer.

import type { ApprovalAnswer } from "../../contract/approval.ts";
import { wrongArgument } from "../../contract/wrong-argument.ts";

export class PendingApprovals {
  readonly #open = new Map<string, (answer: ApprovalAnswer) => void>();

  /** Resolves with the host's answer. Rejects when the signal aborts. */
  ask(callId: string, signal: AbortSignal): Promise<ApprovalAnswer> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#open.delete(callId);
        reject(signal.reason);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#open.set(callId, (answer) => {
        signal.removeEventListener("abort", onAbort);
        this.#open.delete(callId);
        resolve(answer);
      });
    });
  }

  /** Returns false if no question about this call is open. */
  answer(callId: string, answer: ApprovalAnswer): boolean {
    const { decision } = Object(answer) as Partial<ApprovalAnswer>;
    if (decision !== "allow" && decision !== "deny")
      throw wrongArgument("answerApproval: the answer", "{ decision: allow or deny, by }", answer);
    const resolve = this.#open.get(callId);
    resolve?.(answer);
    return resolve !== undefined;
  }
}
