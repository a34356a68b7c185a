import { expect, it } from "vitest";
import { EndNotes } from "./end-notes.ts";
import type { NoteKind } from "./item.ts";

it("T-MEM-1 what /memory shows is an answer, not a row of warnings", () => {
  const shown: [string, NoteKind][] = [];
  const notes = new EndNotes((text, kind) => void shown.push([text, kind]));
  notes.addWarning({ message: "- The lemur is grey.", code: "memory" });
  notes.addWarning({ message: "The broker has removed the last credential.", code: "account_removed" });
  expect(shown).toEqual([
    ["- The lemur is grey.", "info"],
    ["The broker has removed the last credential.", "warning"],
  ]);
});
