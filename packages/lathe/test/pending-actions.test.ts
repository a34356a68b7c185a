import { existsSync } from "node:fs";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type ExtensionBox, extensionBox } from "./extensions-kit.ts";

let box: ExtensionBox;
beforeEach(async () => {
  box = await extensionBox();
});
afterEach(() => box.remove());

const STAGED = `
import { writeFileSync } from "node:fs";
export default function (lathe) {
  lathe.registerTool({
    name: "stage",
    description: "Prepares a file.",
    parameters: { type: "object", properties: {} },
    deferrable: true,
    execute: ({ pushPendingAction }) => {
      pushPendingAction({
        label: "write staged.txt",
        apply: (reason) => { writeFileSync("staged.txt", reason); return "Wrote staged.txt."; },
        reject: (reason) => "Left it: " + reason,
      });
      return "Would write staged.txt.";
    },
  });
}
`;
const calls = (name: string, args: object) => turn.calls([{ name, args, id: name }]);
const names = (n: number): string => JSON.stringify(box.server.requests[n]?.body);

it("T-RES-1 G-72 a custom tool's file appears only when the model applies it, and resolve is offered because the tool may defer", async () => {
  await box.user("extensions/stage.ts", STAGED);
  box.script(calls("stage", {}), calls("resolve", { action: "apply", reason: "fine" }), turn.text("ok"));
  const run = await box.runBuilt(["--permission-mode", "full", "-p", "go"]);
  expect(run.stdout).toContain("ok");
  expect(names(0)).toContain('"name":"resolve"');
  expect(names(1)).toContain("Pending: write staged.txt.");
  expect(JSON.stringify(box.results())).toContain("Wrote staged.txt.");
  expect(existsSync(join(box.box.dir, "staged.txt"))).toBe(true);
});

it("T-SUB-1 T-RES-1 without a tool that defers, the model is not offered resolve", async () => {
  box.script(turn.text("ok"));
  await box.run(["-p", "go"]);
  expect(names(0)).not.toContain('"name":"resolve"');
});
