import { mkdir, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Bench, toolBench } from "../../../../test/call-tool.ts";
import { findTool } from "./index.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await toolBench();
});
afterEach(() => bench.close());

const file = async (name: string, seconds = 1000): Promise<void> => {
  await mkdir(dirname(join(bench.dir, name)), { recursive: true });
  await writeFile(join(bench.dir, name), "");
  await utimes(join(bench.dir, name), seconds, seconds);
};
const find = (...paths: string[]) => bench.text(findTool, { paths });

describe("find", () => {
  it("T-FIND-1 newest first, neighbours under one heading, ignored files on request only", async () => {
    await file(".gitignore", 1);
    await writeFile(join(bench.dir, ".gitignore"), "*.log\n.gitignore\n");
    await file("src/a.ts", 2000);
    await file("src/b.ts", 4000);
    await file("test/c.ts", 3000);
    await file("x.log", 5000);
    expect(await find(".")).toBe("# src/\nb.ts\n# test/\nc.ts\n# src/\na.ts");
    expect(await bench.text(findTool, { paths: ["*.log"], gitignore: false })).toBe("# ./\nx.log");
    expect(await find("*.log")).toBe("No files found matching pattern");
  });

  it("T-FIND-1 a name is found at every depth, a path where it says, a file is itself, folders end in a slash", async () => {
    await file("a.ts", 3000);
    await file("src/b.ts", 2000);
    await file("src/deep/c.ts", 1000);
    await file(".hidden.ts", 500);
    expect(await find("*.ts")).toBe("# ./\na.ts\n# src/\nb.ts\n# src/deep/\nc.ts\n# ./\n.hidden.ts");
    expect(await bench.text(findTool, { paths: ["*.ts"], hidden: false, limit: 1 })).toContain(
      "The 1 newest of 3]\n[Full output: artifact://",
    );
    expect(Buffer.concat(bench.artifacts[0]!).toString()).toBe("a.ts\nsrc/b.ts\nsrc/deep/c.ts");
    expect(await find("src/*")).toBe("# src/\nb.ts\ndeep/");
    expect(await find("src/deep/c.ts")).toBe("# src/deep/\nc.ts");
    expect(await find("src\\deep")).toBe("# src/deep/\nc.ts");
    await expect(find("/")).rejects.toThrow("Name a directory");
  });

  it("T-SUB-5 fused paths, a comma in a name, missing ones", async () => {
    await file("src/a.ts", 1000);
    await file("test/b.ts", 2000);
    await file("a,b.txt");
    expect(await find("src,test")).toBe("# test/\nb.ts\n# src/\na.ts");
    expect(await find("a,b.txt")).toBe("# ./\na,b.txt");
    expect(await find("src", "gone")).toBe("# src/\na.ts\n[Skipped missing paths: gone]");
    await expect(find("gone", "none")).rejects.toThrow("Path not found: gone, none");
  });

  it.each(["/", "//", "/.", "/*", "/**/*.ts"])("T-FIND-1 the whole disk is not searched: %s", async (path) => {
    await expect(find(path)).rejects.toThrow("The whole disk cannot be searched for files. Name a directory.");
  });

  it("T-FIND-1 when the time is up, what was found is the answer", async () => {
    for (let i = 0; i < 300; i++) await file(`d${i % 7}/f${i}.txt`);
    const { content, details } = await bench.call(findTool, { paths: ["."], timeout: 0 });
    expect(details).toMatchObject({ truncated: true });
    expect(JSON.stringify(content)).toContain("Stopped after 0 s");
  });

  it("T-FIND-1 a bare file name is found below the working directory, and one that is nowhere is said to be missing", async () => {
    await file("src/deep/util.ts", 2000);
    await file("util.tsx", 1000);
    expect(await find("util.ts")).toBe("# src/deep/\nutil.ts");
    await expect(find("nowhere.ts")).rejects.toThrow("Path not found: nowhere.ts");
    await expect(find("other/util.ts")).rejects.toThrow("Path not found: other/util.ts");
  });
});
