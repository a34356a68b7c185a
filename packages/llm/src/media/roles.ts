// Which kinds of content are allowed in which role (DM-02). Checked before anything is sent.

import { InvalidRequestError } from "../types/errors.ts";
import type { Message, PartKind, Role } from "../types/message.ts";

const EVERY_ROLE: readonly Role[] = ["system", "developer", "user", "assistant", "tool"];

const ROLES: Readonly<Record<PartKind, readonly Role[]>> = {
  text: EVERY_ROLE,
  image: ["user", "assistant"],
  audio: ["user"],
  document: ["user"],
  tool_call: ["assistant"],
  tool_result: ["tool"],
  thinking: ["assistant"],
  redacted_thinking: ["assistant"],
  unknown: EVERY_ROLE,
};

export function checkRoles(message: Message, provider: string): void {
  // Other libraries accept plain text here, and not every caller has types.
  if (typeof message.content === "string")
    throw new InvalidRequestError(
      `The content of a ${message.role} message must be a list of parts; Message.${message.role}(text) makes one from a text.`,
      { provider },
    );
  for (const part of message.content) {
    // Kinds from a newer version are allowed; the protocol drops them with a warning.
    const allowed = ROLES[part.kind] as readonly Role[] | undefined;
    if (allowed !== undefined && !allowed.includes(message.role))
      throw new InvalidRequestError(`A ${part.kind} part is not allowed in a ${message.role} message.`, { provider });
  }
}
