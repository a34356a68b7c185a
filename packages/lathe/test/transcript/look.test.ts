import { call, text, thinking, turn } from "@lathe/testkit";
import { it } from "vitest";
import { Shown, world } from "./kit.ts";

it("look", async () => {
  const { session, events, close } = await world(
    [
      turn(
        thinking("I should look at the files first."),
        text("I'll look at the **parser** first."),
        call("read_file", { file_path: "src/parse.ts" }),
        call("grep", { pattern: "flag", path: "src" }),
        call("read_file", { file_path: "missing.ts" }),
        call("glob", { pattern: "**/*.ts" }),
      ),
      turn(thinking("hmm"), call("read_file", { file_path: "src/options.ts" })),
      turn(
        text("Now the change:"),
        call("edit_file", {
          file_path: "src/parse.ts",
          old_string: "return a * b",
          new_string: "const total = a * b\n  return total",
        }),
      ),
      turn(
        call("shell", { command: "for i in $(seq 1 30); do echo output line $i; done" }),
        call("shell", { command: "echo about to fail; ls /nonexistent; exit 3" }),
      ),
      turn(
        call("todo", {
          ops: [
            { op: "init", list: [{ phase: "Work", items: ["Change add", "Test it", "Write docs"] }] },
            { op: "done", task: "Change add" },
          ],
        }),
        call("write_file", { file_path: "new.md", content: "# New\n\ntext\n" }),
      ),
      turn(text("Done. The table:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- one\n- two\n")),
    ],
    {
      "src/parse.ts": "export function mul(a, b) {\n  // flag\n  return a * b\n}\n",
      "src/options.ts": "export const flag = 1\n",
    },
  );
  await session.submit("add a flag to the parser and test it");
  await close();
  for (const columns of [40, 80, 120])
    console.log(`${"=".repeat(columns)}\n${new Shown(columns).play(...events).scrollback}\n--- live\n`);
});
