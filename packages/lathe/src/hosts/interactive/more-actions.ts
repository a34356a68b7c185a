// Key actions that need the conversation's parts: thinking, models, the transcript viewer.

import { EMPTY_ROW, type Row } from "@lathe/tui";
import { EFFORTS } from "../../conversation/commands/model-commands.ts";
import type { AppAction } from "./actions.ts";
import type { Composer } from "./composer.ts";
import type { Controller } from "./controller.ts";
import type { ScreenParts } from "./screen-parts.ts";
import type { Transcript } from "./transcript/transcript.ts";

export function moreActions(
  screen: ScreenParts,
  transcript: Transcript,
  composer: Composer,
): (action: AppAction) => boolean {
  const { link, hint } = screen;
  return (action) => {
    switch (action) {
      case "app.thinking.cycle":
        void link.tell(async (controller) => cycleThinking(screen, controller));
        return true;
      case "app.thinking.toggle":
        transcript.thinking = transcript.thinking === "shown" ? "folded" : "shown";
        hint.show(transcript.thinking === "shown" ? "Thinking is shown." : "Thinking is folded.");
        return true;
      case "app.model.cycle":
        void link.tell((controller) => cycleModel(screen, controller, 1));
        return true;
      case "app.model.cycleBackward":
        void link.tell((controller) => cycleModel(screen, controller, -1));
        return true;
      case "app.tools.expand":
        void link.tell(async (controller) => openTranscript(screen, controller, transcript));
        return true;
      case "app.history.search":
        void composer.choosePrompt();
        return true;
      case "app.clipboard.pasteImage":
        void link.tell(() => composer.pastePicture());
        return true;
      default:
        return false;
    }
  };
}

function cycleThinking({ hint }: ScreenParts, { conversation }: Controller): void {
  const now = conversation.session.config.reasoningEffort ?? "default";
  const next = EFFORTS[(EFFORTS.indexOf(now) + 1) % EFFORTS.length] ?? "default";
  conversation.setEffort(next === "default" ? undefined : next);
  hint.show(`Thinking: ${next}`);
}

/** Cycles through the enabled models that can be called; without such a list, through those of the present provider. */
async function cycleModel({ hint }: ScreenParts, { conversation }: Controller, by: 1 | -1): Promise<void> {
  const { workspace, model } = conversation;
  const { registry } = await workspace.models();
  const { expandModels } = await import("@lathe/llm");
  const { enabledModels } = workspace.settings;
  const usable =
    enabledModels.length > 0
      ? expandModels(registry, enabledModels).map(({ model: one }) => one)
      : registry.available().filter(({ provider }) => provider === model.provider);
  if (usable.length < 2) {
    hint.show("There is no other model to switch to. See all: /model");
    return;
  }
  const at = usable.findIndex(({ provider, id }) => provider === model.provider && id === model.id);
  const next = usable[(at + by + usable.length) % usable.length];
  if (!next) return;
  await conversation.switchModel(`${next.provider}/${next.id}`);
  hint.show(`Model: ${next.provider}/${next.id}`);
}

/** Shows the whole session, unfolded. */
function openTranscript(
  { surface, fullScreens }: ScreenParts,
  { conversation }: Controller,
  transcript: Transcript,
): void {
  const blocks = transcript.pastBlocks(conversation.session);
  const body = function* (columns: number): IterableIterator<Row> {
    const context = { ...surface.context(), columns };
    for (const block of blocks) {
      yield* block.each(context);
      yield EMPTY_ROW;
    }
  };
  fullScreens.view("Transcript", body);
}
