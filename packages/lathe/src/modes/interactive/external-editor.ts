// The text of the composer in the editor of the person's choice.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ScreenView } from "./screen-view.ts";

export function editExternally(view: ScreenView): void {
  const { env } = view.machine;
  const command = env["VISUAL"] || env["EDITOR"];
  if (!command) {
    view.hint("Set VISUAL or EDITOR to edit the input there.");
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "lathe-input-"));
  const file = join(folder, "input.md");
  try {
    writeFileSync(file, view.editor.value(), { mode: 0o600 });
    // The variable may hold options. It belongs to the person, as their shell does.
    const status = view.released(
      () => spawnSync("sh", ["-c", `${command} "$1"`, "sh", file], { stdio: "inherit" }).status,
    );
    if (status === 0) view.editor.text = readFileSync(file, "utf8").replace(/\n$/, "");
    else view.hint(`${command} ended with ${status ?? "a signal"}: the input is as it was.`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
