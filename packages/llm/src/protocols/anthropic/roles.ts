// Which kinds of content may stand in which role (DM-02).

import { InvalidRequestError } from "../../types/errors.ts";
import type { Message, PartKind, Role } from "../../types/message.ts";

const everywhere: readonly Role[] = ["system", "developer", "user", "assistant", "tool"];
const rolesOf: Record<PartKind, readonly Role[]> = {
  text: everywhere,
  image: ["user", "assistant"],
  audio: ["user"],
  document: ["user"],
  tool_call: ["assistant"],
  tool_result: ["tool"],
  thinking: ["assistant"],
  redacted_thinking: ["assistant"],
  unknown: everywhere,
};

export function assertRoles(message: Message, provider: string): void {
  for (const part of message.content) {
    // Kinds are open: one that we do not know is the encoder's business, which drops it with a warning.
    if (!(rolesOf[part.kind] ?? everywhere).includes(message.role)) {
      throw new InvalidRequestError(`a ${part.kind} part cannot stand in a ${message.role} message`, { provider });
    }
  }
}
