import { execFileSync } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { contextFor, fullServices, run, temporary } from "../../../../test/edit/harness.ts";
import { decodeDocument } from "../../../files/edit/document.ts";
import { hashlineEditTool } from "./index.ts";

async function session(name: string, content: string) {
  const { env, path } = temporary();
  await writeFile(path(name), content);
  const services = fullServices();
  const shown = async () =>
    services.shownFiles?.record(env.resolve(name), decodeDocument(await env.readBytes(name)).text) as string;
  return {
    file: path(name),
    shown,
    edit: (input: string) => run(hashlineEditTool, { input }, contextFor(env, services)),
    text: () => readFile(path(name), "utf8"),
  };
}

const twelve = `${Array.from({ length: 12 }, (_, index) => `const v${index + 1} = ${index + 1};`).join("\n")}\n`;

describe("T-EDIT-4 an edit against an older view", () => {
  it("T-EDIT-2 T-EDIT-4 edit, then edit again with the tag of the first result, without reading", async () => {
    const { shown, edit, text } = await session("a.ts", twelve);
    const first = await edit(`¶a.ts#${await shown()}\nreplace 2..2:\n+const v2 = 22;\n+const extra = 0;`);
    const header = first.text.split("\n")[0] as string;
    const second = await edit(`${header}\nreplace 3..3:\n+const extra = 1;`);
    expect(second.failed).toBe(false);
    expect(await text()).toBe(twelve.replace("v2 = 2;", "v2 = 22;\nconst extra = 1;"));
  });

  it("T-EDIT-4 three lines prepended from outside: the right line changes and the result says so", async () => {
    const { file, shown, edit, text } = await session("a.ts", twelve);
    const tag = await shown();
    execFileSync("sed", ["-i", "1i // x\\n// y\\n// z", file]);
    const result = await edit(`¶a.ts#${tag}\nreplace 10..10:\n+const v10 = "ten";`);
    expect(result.text).toContain("had been changed outside this session");
    expect(await text()).toBe(`// x\n// y\n// z\n${twelve.replace("v10 = 10", 'v10 = "ten"')}`);
  });

  it("T-EDIT-4 the anchored line itself changed: refused with the present text and tag, file untouched", async () => {
    const { file, shown, edit, text } = await session("a.ts", twelve);
    const tag = await shown();
    execFileSync("sed", ["-i", "10s/10;/100;/", file]);
    const changed = await text();
    const result = await edit(`¶a.ts#${tag}\nreplace 10..10:\n+const v10 = "ten";`);
    expect(result.failed).toBe(true);
    expect(result.text).toContain(`a.ts has changed since #${tag}`);
    expect(result.text).toContain("*10 | const v10 = 100;");
    expect(await text()).toBe(changed);
    const fresh = /¶a\.ts#[0-9A-F]{4}/.exec(result.text)?.[0] as string;
    expect((await edit(`${fresh}\nreplace 10..10:\n+const v10 = "ten";`)).failed).toBe(false);
  });

  it("T-EDIT-4 a tag that was never shown has its own message", async () => {
    const { edit, text } = await session("a.ts", twelve);
    const result = await edit("¶a.ts#FFFF\ndelete 1");
    expect(result.text).toContain("#FFFF is not a tag that was shown for a.ts");
    expect(await text()).toBe(twelve);
  });

  it("T-EDIT-4 an older tag after our own edits, and after own and foreign ones: each is named", async () => {
    const { file, shown, edit, text } = await session("a.ts", twelve);
    const tag = await shown();
    await edit(`¶a.ts#${tag}\ninsert head:\n+// ours`);
    const chain = await edit(`¶a.ts#${tag}\nreplace 6..6:\n+const v6 = 66;`);
    expect(chain.text).toContain("had been edited by this session after that tag; ");
    execFileSync("sed", ["-i", "$d", file]);
    const replay = await edit(`¶a.ts#${tag}\nreplace 9..9:\n+const v9 = 99;`);
    expect(replay.text).toContain("had been edited by this session and changed outside it");
    const wanted = `// ours\n${twelve.replace("v6 = 6", "v6 = 66").replace("v9 = 9", "v9 = 99").replace("const v12 = 12;\n", "")}`;
    expect(await text()).toBe(wanted);
  });

  it("T-EDIT-4 a line removed among equal neighbours is no proof of place: refused", async () => {
    const { file, shown, edit, text } = await session("a.txt", "x\nx\nx\nx\nx\nend\n");
    const tag = await shown();
    await writeFile(file, "x\nx\nx\nx\nend\n");
    expect((await edit(`¶a.txt#${tag}\nreplace 3..3:\n+y`)).failed).toBe(true);
    expect(await text()).toBe("x\nx\nx\nx\nend\n");
  });
});

const programs = {
  "a.ts": [
    "// top",
    "export function f(a: number) {",
    "  if (a) {",
    "    return 1;",
    "  }",
    "  return 2;",
    "}",
    "const x = 1;",
  ],
  "a.py": ["# top", "@cached", "def f(a):", "    if a:", "        return 1", "", "    return 2", "x = 1"],
  "a.rs": [
    "// top",
    "fn f(a: i32) -> i32 {",
    "    if a > 0 {",
    "        return 1;",
    "    }",
    "    2",
    "}",
    "const X: i32 = 1;",
  ],
  "a.go": ["package a", "func f(a int) int {", "\tif a > 0 {", "\t\treturn 1", "\t}", "\treturn 2", "}", "var x = 1"],
} as const;

describe("T-EDIT-3 block operations", () => {
  for (const [name, lines] of Object.entries(programs)) {
    it(`T-EDIT-3 ${name}: a function by its first line; what is left still parses`, async () => {
      const { shown, edit, text } = await session(name, `${lines.join("\n")}\n`);
      const result = await edit(`¶${name}#${await shown()}\ndelete block 2`);
      expect(result.text).toContain("delete block 2 → resolved lines 2-7 (6 lines)");
      expect(result.text).not.toContain("parse error");
      expect(await text()).toBe(`${lines[0]}\n${lines[7]}\n`);
    });

    it(`T-EDIT-3 ${name}: a statement inside a function, not the whole body`, async () => {
      const { shown, edit, text } = await session(name, `${lines.join("\n")}\n`);
      const line = name === "a.py" ? 4 : 3;
      const end = name === "a.py" ? 5 : 5;
      const result = await edit(`¶${name}#${await shown()}\nreplace block ${line}:\n+    REPLACED`);
      expect(result.text).toContain(`resolved lines ${line}-${end} (${end - line + 1} lines)`);
      expect(await text()).toBe(`${[...lines.slice(0, line - 1), "    REPLACED", ...lines.slice(end)].join("\n")}\n`);
    });
  }

  it("T-EDIT-3 a closing line, a blank line and a broken block are refused with context and advice", async () => {
    const { shown, edit, text } = await session("a.ts", "function f() {\n}\n\nfunction g( {\n  x(;\n}\n");
    const before = await text();
    const tag = await shown();
    const closer = await edit(`¶a.ts#${tag}\ndelete block 2`);
    expect(closer.text).toContain("the line closes a block. Use `delete 2..M`");
    expect(closer.text).toContain("*2 | }");
    expect((await edit(`¶a.ts#${tag}\ndelete block 3`)).text).toContain("the line is blank");
    expect((await edit(`¶a.ts#${tag}\ndelete block 4`)).text).toContain("does not select a block");
    expect(await text()).toBe(before);
  });
});
