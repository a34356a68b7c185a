// A model that looks at images in place of the conversation's model: the one for the role `vision`, otherwise the
// session's own.

import { ToolFailure } from "../contract/tool.ts";
import type { ImageInspector } from "../files/read/fit-image.ts";
import type { HostChoices, ModelContext, SessionLog, Work } from "./facades.ts";
import { sideCall } from "./side-call.ts";

const ROLE = "vision";

export function imageInspector(core: SessionLog & HostChoices & ModelContext & Work): ImageInspector {
  return {
    async ask(image, question, signal) {
      const isChosen = (core.options.profilesForRole?.(ROLE).length ?? 0) > 0;
      if (!isChosen && !core.profile.modelInfo?.supportsVision)
        throw new ToolFailure(
          `No model is available that can look at pictures. Ask the user to choose one for ${ROLE}.`,
        );
      const content = [
        { kind: "image", image },
        { kind: "text", text: question },
      ] as const;
      const { text } = await sideCall(core, ROLE, { messages: [{ role: "user", content }] }, signal);
      return text;
    },
  };
}
