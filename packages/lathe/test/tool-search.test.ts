import { turn } from "@lathe/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type ExtensionBox, extensionBox } from "./extensions-kit.ts";

let box: ExtensionBox;
beforeEach(async () => {
  box = await extensionBox();
});
afterEach(() => box.remove());

const PAINTER = `
export default function (lathe) {
  const parameters = { type: "object", properties: {} };
  const execute = () => "painted";
  lathe.registerTool({ name: "paint", description: "Paints a picture. It takes long.", parameters, execute, loadMode: "discoverable" });
  lathe.registerTool({ name: "sketch", description: "Sketches.", parameters, execute });
}
`;
type Sent = { readonly tools?: readonly { readonly name: string; readonly description: string }[] };

it("T-SUB-1 a discoverable tool is named by the search, and offered from the next request on once it was found; no server is needed", async () => {
  await box.user("extensions/painter.ts", PAINTER);
  const calls = (name: string, args: object = {}) => turn.calls([{ name, args, id: `${name}_id` }]);
  box.script(calls("paint"), calls("search_tool_bm25", { query: "paint" }), calls("paint"), turn.text("ok"));
  const ran = await box.run(["--permission-mode", "full", "-p", "go"]);
  expect(ran.stdout).toContain("ok");
  const sent = box.server.requests.map(({ body }) => (body as Sent).tools ?? []);
  const names = sent.map((tools) => tools.map(({ name }) => name));
  expect(names.map((list) => list.includes("paint"))).toEqual([false, false, true, true]);
  expect(names[0]).toContain("sketch");
  const searches = sent.map((tools) => tools.find(({ name }) => name === "search_tool_bm25")?.description ?? "");
  expect(searches[0]).toMatch(/\n- paint: Paints a picture\.$/);
  expect(new Set(searches).size).toBe(1);
  const results = JSON.stringify(box.results());
  expect(results).toContain("The tool paint exists but is not loaded.");
  expect(results).toContain("painted");
});
