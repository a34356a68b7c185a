// Commands that give the agent work or stop it.

import type { InputContent, InputPart } from "@lathe/agent";
import { sentence } from "@lathe/agent/base";
import type { JsonValue } from "@lathe/llm";
import { decodePicture } from "../../conversation/client-picture.ts";
import { GateRefusal } from "../../conversation/gates/gate.ts";
import { recordTyped } from "../../conversation/typed-addresses.ts";
import type { Handlers } from "./handler.ts";
import { notAvailable, Refusal } from "./handler.ts";
import type { RpcSession } from "./session.ts";

interface MessageWithImages {
  readonly message: string;
  readonly images?: readonly { readonly data: string; readonly mediaType: string }[];
}

function contentOf({ message, images = [] }: MessageWithImages): InputContent {
  if (images.length === 0) return message;
  const parts = images.map(({ data }, at): InputPart => decodePicture(`images[${at}]`, data));
  return message.trim() === "" ? parts : [{ kind: "text", text: message }, ...parts];
}

const isRecorded = ({ session }: RpcSession, entryId: string | undefined): boolean =>
  entryId !== undefined && session.journal.has(entryId);

/** The content of a message that may be queued, which is always a text. */
function queuedContent(params: MessageWithImages, current: RpcSession): InputContent | Promise<InputContent> {
  const given = contentOf(params);
  const expanded = current.expand(given, { isQueued: true });
  return expanded instanceof Promise ? expanded.then((content) => content ?? given) : expanded;
}

export const inputHandlers: Handlers<
  | "prompt"
  | "steer"
  | "follow_up"
  | "continue"
  | "abort"
  | "abort_and_prompt"
  | "set_permission_mode"
  | "set_steering_mode"
  | "set_follow_up_mode"
  | "set_interrupt_mode"
  | "compact"
  | "set_auto_compaction"
  | "set_auto_retry"
  | "abort_retry"
  | "workflow_gate_response"
  | "negotiate_unattended"
> = {
  prompt: async (params, { current }, recorded) => {
    await current.conversation.settled();
    const { streamingBehavior, expandPromptTemplates = true, entryId } = params;
    if (isRecorded(current, entryId)) return;
    const given = contentOf(params);
    // Expansion that takes no time is not awaited, so that a host's next get_state sees the message in the queue.
    const expanded = expandPromptTemplates ? current.expand(given) : given;
    if (!expandPromptTemplates) recordTyped(given, current.conversation.open);
    const content = expanded instanceof Promise ? await expanded : expanded;
    if (content === undefined) return;
    if (!current.isBusy) await current.run(content, recorded, entryId);
    else if (streamingBehavior === "steer") current.session.steer(content);
    else if (streamingBehavior === "followUp") current.session.followUp(content);
    else throw new Error('The agent is working. Set streamingBehavior to "steer" or "followUp".');
  },
  // If nothing is running, both start the work at once.
  steer: async (params, { current }, recorded) => {
    await current.conversation.settled();
    const queued = queuedContent(params, current);
    const content = queued instanceof Promise ? await queued : queued;
    if (current.isBusy) current.session.steer(content);
    else await current.run(content, recorded);
  },
  follow_up: async (params, { current }, recorded) => {
    await current.conversation.settled();
    const queued = queuedContent(params, current);
    const content = queued instanceof Promise ? await queued : queued;
    if (current.isBusy) current.session.followUp(content);
    else await current.run(content, recorded);
  },
  continue: async (_params, { current }, recorded) => {
    await current.conversation.settled();
    await current.finishInput(recorded);
  },
  abort: async (_params, { current }) => {
    await current.session.interrupt();
  },
  abort_and_prompt: async (params, { current }, recorded) => {
    const { entryId } = params;
    if (isRecorded(current, entryId)) return;
    const content = await current.expand(contentOf(params));
    if (content !== undefined) await current.conversation.submitInstead(content, { onRecorded: recorded, entryId });
  },

  set_permission_mode: ({ mode }, { current }) => {
    current.conversation.setPermissionMode(mode);
  },
  set_steering_mode: ({ mode }, { current }) => {
    current.session.config.steeringMode = mode;
  },
  set_follow_up_mode: ({ mode }, { current }) => {
    current.session.config.followUpMode = mode;
  },
  set_interrupt_mode: ({ mode }, { current }) => {
    current.session.config.interruptMode = mode;
  },

  compact: async ({ customInstructions }, { current }) => {
    const done = await current.conversation.compact(customInstructions);
    if ("problem" in done) throw new Error(`The context stays as it is: ${sentence(done.problem)}`);
    return { summary: done.summary, tokensBefore: done.tokensBefore };
  },
  set_auto_compaction: ({ enabled }, { current }) => {
    current.conversation.autoCompaction = enabled;
  },
  set_auto_retry: ({ enabled }, { current }) => {
    const most = current.conversation.workspace.settings["retry.maxRetries"];
    current.session.config.retry = { ...current.session.config.retry, maxRetries: enabled ? most : 0 };
  },
  abort_retry: async (_params, { current }) => {
    if (!current.isRetrying) return { aborted: false };
    await current.session.interrupt();
    return { aborted: true };
  },

  workflow_gate_response: async ({ gate_id, answer, idempotency_key, by = "host" }, { current }) => {
    const { gates } = current.conversation.open;
    const given = { gate_id, answer: answer as JsonValue, idempotency_key };
    return gates.respond(given, by).catch((error: unknown) => {
      throw error instanceof GateRefusal ? new Refusal(error.code, error.message) : error;
    });
  },
  negotiate_unattended: async ({ declaration }, { unattended }) => {
    if (!unattended) throw notAvailable("The unattended mode");
    return unattended.negotiate(declaration);
  },
};
