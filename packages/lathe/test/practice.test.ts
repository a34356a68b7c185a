import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Sandbox, sandbox } from "./command.ts";

let box: Sandbox;
beforeEach(async () => {
  box = await sandbox({ sample: true });
});
afterEach(() => box.remove());

const practice = ["--model", "practice/basic", "--permission-mode", "full"];
describe("the practice model on real files", () => {
  it("knows no names of the sample: with other files and functions it finds the bug as well", async () => {
    await rename(join(box.dir, "src/invoice.js"), join(box.dir, "src/bill.mjs"));
    await rename(join(box.dir, "test/invoice.test.js"), join(box.dir, "test/sums.test.js"));
    const renamed = (text: string): string =>
      text.replaceAll("subtotal", "addUp").replaceAll("discount", "rebate").replaceAll("invoice.js", "bill.mjs");
    for (const file of ["test/sums.test.js", "src/bill.mjs"])
      await writeFile(join(box.dir, file), renamed(await readFile(join(box.dir, file), "utf8")));
    const { code, stdout } = await box.run([...practice, "please fix the failing test!"]);
    expect(stdout).toContain("All tests pass.");
    expect(code).toBe(0);
  });

  it("says so when its repair does not help, and leaves the files as they were", async () => {
    const broken =
      "export const subtotal = (n) => (n > 1 ? NaN : n);\nexport const discount = () => NaN;\nexport const total = () => NaN;\n";
    await writeFile(join(box.dir, "src/invoice.js"), broken);
    const { stdout } = await box.run([...practice, "fix the failing test"]);
    expect(stdout).toContain("This needs a real model");
    expect(await readFile(join(box.dir, "src/invoice.js"), "utf8")).toBe(broken);
  });

  it.each([
    ["show package.json", "tiny-invoice"],
    ["find taxRate", "src/invoice.js:"],
    ["run echo hello there", "hello there"],
    ["list src", "invoice.js"],
    ["what is love", "I am the practice model"],
  ])("understands: %s", async (request, expected) => {
    expect((await box.run([...practice, request])).stdout).toContain(expected);
  });

  it("says that it may not, where commands need a yes and nobody is there", async () => {
    for (const request of ["fix the failing test", "run X=1 env echo hi"]) {
      const { code, stdout } = await box.run(["--model", "practice/basic", request]);
      expect({ code, stdout }).toEqual({
        code: 4,
        stdout: expect.stringContaining("It would be allowed with --"),
      });
      expect(stdout).not.toMatch(/exit code -1|found no way/);
    }
  });

  it("hears the request behind files and piped text", async () => {
    const { stdout } = await box.run([...practice, "@package.json", "show README.md"], { stdin: "some context" });
    expect(stdout).toContain("Here is README.md");
  });

  it("creates and replaces", async () => {
    await box.run([...practice, "create notes.txt with remember the milk"]);
    await box.run([...practice, "replace milk by bread in notes.txt"]);
    expect(await readFile(join(box.dir, "notes.txt"), "utf8")).toBe("remember the bread\n");
  });
});

describe("the practice model among the models", () => {
  it.each([["practice"], ["practice/basic"], ["PRACTICE"], ["pract*"]])("lathe models %s lists it", async (pattern) => {
    const { code, stdout } = await box.run(["models", pattern]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^practice\/basic .* 0 +0 .*no key needed$/m);
  });

  it("is in the whole list and in JSON, and no other pattern brings it", async () => {
    expect((await box.run(["--list-models"])).stdout).toContain("practice/basic");
    const rows = JSON.parse((await box.run(["models", "practice", "--json"])).stdout) as object[];
    expect(rows).toMatchObject([{ provider: "practice", id: "basic", available: true, cost: { input: 0, output: 0 } }]);
    expect((await box.run(["models", "sonnet"])).stdout).not.toContain("practice");
  });

  it("is named in short, with any effort; another name is refused with the right one", async () => {
    for (const name of ["practice", "practice/basic:high"])
      expect(await box.run(["--model", name, "show package.json"])).toMatchObject({ code: 0 });
    const refused = await box.run(["--model", "practice/better", "hi"]);
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("The practice model is practice/basic."),
    });
  });
});
