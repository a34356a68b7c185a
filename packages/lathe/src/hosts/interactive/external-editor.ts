// Edits the composer's text in the user's editor.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Editor } from "@lathe/tui";
import type { ScreenParts } from "./screen-parts.ts";

type Place = Pick<ScreenParts, "machine" | "surface" | "hint">;

export async function editExternally(place: Place, editor: Editor): Promise<void> {
  const text = await editText(place, "input", editor.value());
  if (text !== undefined) editor.replaceText(text);
}

/** The text as the user left it; undefined if it was not edited, and then a hint says why. */
export async function editText(
  { machine, surface, hint }: Place,
  name: string,
  text: string,
): Promise<string | undefined> {
  const { env } = machine;
  const command = env["VISUAL"] || env["EDITOR"];
  if (!command) {
    hint.show("Set VISUAL or EDITOR to edit the input there.");
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "lathe-input-"));
  const file = join(folder, `${name.replace(/\W+/g, "-").slice(0, 40) || "text"}.md`);
  try {
    writeFileSync(file, text, { mode: 0o600 });
    // The variable may contain options. It is as trustworthy as the user's shell.
    const status = await surface.lend(async () => {
      const editor = spawn("sh", ["-c", `${command} "$1"`, "sh", file], { stdio: "inherit" });
      return (await once(editor, "exit"))[0] as number | null;
    });
    if (status === 0) return readFileSync(file, "utf8").replace(/\n$/, "");
    hint.show(`${command} exited with ${status ?? "a signal"}; the text was not changed.`);
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
