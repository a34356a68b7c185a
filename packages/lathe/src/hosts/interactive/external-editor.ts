// The text of the composer in the editor of the person's choice.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ScreenView } from "./screen-view.ts";

export async function editExternally(view: ScreenView): Promise<void> {
  const text = await editedText(view, "input", view.editor.value());
  if (text !== undefined) view.editor.edited(text);
}

/** The text as it was left; undefined when it was not edited, and why is said. */
export async function editedText(view: ScreenView, name: string, text: string): Promise<string | undefined> {
  const { env } = view.machine;
  const command = env["VISUAL"] || env["EDITOR"];
  if (!command) {
    view.hint("Set VISUAL or EDITOR to edit the input there.");
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "lathe-input-"));
  const file = join(folder, `${name.replace(/\W+/g, "-").slice(0, 40) || "text"}.md`);
  try {
    writeFileSync(file, text, { mode: 0o600 });
    // The variable may hold options. It belongs to the person, as their shell does.
    const status = await view.released(async () => {
      const editor = spawn("sh", ["-c", `${command} "$1"`, "sh", file], { stdio: "inherit" });
      return (await once(editor, "exit"))[0] as number | null;
    });
    if (status === 0) return readFileSync(file, "utf8").replace(/\n$/, "");
    view.hint(`${command} ended with ${status ?? "a signal"}: the text is as it was.`);
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
