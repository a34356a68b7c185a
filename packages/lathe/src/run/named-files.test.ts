import { MemoryEnvironment } from "@lathe/agent";
import { expect, it } from "vitest";
import { staysInside } from "./named-files.ts";

const env = new MemoryEnvironment({ cwd: "/work" });
const inside = (args: Record<string, string>) => staysInside(args, ["/work"], env);

it("T-EDIT-5 every file that an edit names counts, whatever the dialect, and a/ may be a directory", async () => {
  expect(await inside({ file_path: "a/f" })).toBe(true);
  expect(await inside({ diff: "--- a/f\n+++ b/f\n@@ -1 +1 @@" })).toBe(true);
  expect(await inside({ patch: "*** Update File: f\n*** Move to: g" })).toBe(true);
  for (const outside of [
    { path: "../f" },
    { diff: "--- a/f\n+++ b/../f" },
    { diff: "--- f\n+++ a/../../f" },
    { diff: "--- /etc/hosts\n+++ /etc/hosts" },
    { patch: "*** Update File: f\n*** Move to: /tmp/g" },
    { input: "¶../f#0A3B\ndelete 1" },
  ]) {
    expect(await inside(outside)).toBe(false);
  }
});
