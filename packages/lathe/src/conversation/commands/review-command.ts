// `/review [range]`: reviewers look at a change, and the model sees their findings.

import type { SlashCommand } from "./command.ts";

export const reviewCommand: SlashCommand = {
  name: "review",
  // Many users already have a command with this name.
  yields: true,
  arguments: "[range]",
  description: "review a change: main...HEAD, HEAD~3, a commit; without one, uncommitted changes",
  run: async (conversation, range, view) => {
    const { changeOf } = await import("../review/change.ts");
    const { changeLine, costLine, nothingLine, reviewText } = await import("../review/report.ts");
    const { review } = await import("../review/review.ts");
    const { workspace, session, permissions } = conversation;
    const change = await changeOf(workspace, range === "" ? undefined : range);
    if (change.files.length === 0) return view.line(nothingLine(change), "dim");
    if (change.note !== undefined) view.line(change.note, "dim");
    view.line(`Reviewing ${changeLine(change)}… (interrupt to cancel)`, "dim");
    const found = await review({ workspace, session, permissions, tell: () => {} }, change);
    if (!found) return view.line("Review interrupted.", "dim");
    // The user's next message may be "fix 1 and 3".
    session.appendCustomMessage("review", reviewText(found));
    view.line(reviewText(found, view.columns).trimEnd());
    view.line(costLine(found), "dim");
    if (found.findings.length > 0) view.line("The model knows these findings: ask it to fix 1, or all of them.", "dim");
  },
};
