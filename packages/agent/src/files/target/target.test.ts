import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Bench, toolBench } from "../../../test/call-tool.ts";
import { readTool } from "../../tools/builtin/read/index.ts";
import { writeTool } from "../../tools/builtin/write/index.ts";
import { builtinFormats } from "../formats/index.ts";

let bench: Bench;
beforeEach(async () => {
  bench = await toolBench();
});
afterEach(() => bench.close());

const put = (name: string, text: string): void => {
  mkdirSync(dirname(join(bench.dir, name)), { recursive: true });
  writeFileSync(join(bench.dir, name), text);
};
const read = (path: string) => bench.text(readTool, { path });

const long = (process.env["LATHE_LONG"] ?? "") !== "";

describe("the grammar of paths", () => {
  it("T-READ-1 T-SUB-5 an existing file always wins, whatever its name looks like", async () => {
    const piece = fc.constantFrom(
      "a",
      "é",
      "é",
      ":",
      ",",
      " ",
      "10",
      "-",
      "+2",
      ":raw",
      ":5-7",
      ".zip",
      "?q=1",
      "'",
      "L3",
      "~",
    );
    const name = fc
      .array(piece, { minLength: 1, maxLength: 6 })
      .map((pieces) => pieces.join(""))
      .filter((text) => text.trim() !== "" && text.trim() === text && !/^[.~]/.test(text));
    await fc.assert(
      fc.asyncProperty(name, async (file) => {
        put(file, `content of ${file}\n`);
        expect(await read(file)).toContain(`content of ${file}`);
        rmSync(join(bench.dir, file));
      }),
      { numRuns: long ? 2_000 : 60 },
    );
  });

  it("T-SUB-5 quotes, file:// and special spaces are repaired, for a write as well", async () => {
    put("a b.txt", "inside\n");
    put("Bild 10.30 PM.png.txt", "narrow\n");
    for (const path of ["'a b.txt'", '"a b.txt"', "`a b.txt`", `file://${bench.dir}/a%20b.txt`]) {
      expect(await read(path), path).toContain("1:inside");
    }
    expect(await read("Bild 10.30 PM.png.txt")).toContain("narrow");
    await bench.text(writeTool, { path: '"new file.txt"', content: "x\n" });
    expect(await read("new file.txt")).toContain("1:x");
  });

  it("T-READ-8 a wrong beginning finds the only file that ends like it, and says so; two such files are named", async () => {
    put("src/foo/util.ts", "export {};\n");
    expect(await read("foo/util.ts")).toMatch(
      /^\[Path 'foo\/util\.ts' not found; resolved to 'src\/foo\/util\.ts' via suffix match\]\n¶src\/foo\/util\.ts#/,
    );
    expect(await read("foo/util.ts:1")).toContain("1:export {};");
    put("lib/foo/util.ts", "");
    await expect(read("foo/util.ts")).rejects.toThrow("Several files end like this: ");
    await bench.text(writeTool, { path: "foo/new.ts", content: "" });
    await expect(read("../../foo/none.ts")).rejects.toThrow("File not found");
  });

  it("T-READ-1 a file that is there is not said to be missing because of what follows it", async () => {
    put("a.ts", "one\n");
    for (const tail of [":2..3", "#L2", ":-1", ":", ":1:raw:2"]) {
      await expect(read(`a.ts${tail}`), tail).rejects.toThrow(/There is a\.ts(?::1)?, and .* names no part of it/);
    }
  });

  it("IU-01 an address of an unknown scheme names those that are known", async () => {
    await expect(read("nope://x")).rejects.toThrow("Nothing here opens nope:// addresses");
  });
});

describe("a write that names a part", () => {
  it("T-WRITE-1 lines behind a path make no second file that hides them from then on", async () => {
    put("a.txt", "one\ntwo\n");
    for (const path of ["a.txt:2", "a.txt:1-2", "a.txt:raw", "'a.txt:2'"]) {
      await expect(bench.text(writeTool, { path, content: "x\n" }), path).rejects.toThrow("means a part of a.txt");
    }
    expect(readdirSync(bench.dir)).toEqual(["a.txt"]);
    // Without such a file it is an ordinary name, and a file with that name is written.
    await bench.text(writeTool, { path: "b:2", content: "x\n" });
    put("b", "");
    await bench.text(writeTool, { path: "b:2", content: "y\n" });
    expect(await read("b:2")).toContain("1:y");
  });

  it("T-WRITE-2 T-WRITE-3 G-85 what is no archive or database is not written beside under a name with a colon", async () => {
    put("text.zip", "no archive\n");
    put("text.db", "no database\n");
    bench.services.formats = builtinFormats;
    const refused = async (path: string, why: string) =>
      expect(bench.text(writeTool, { path, content: "{}" }), path).rejects.toThrow(why);
    await refused("text.zip:a", "text.zip is no zip file by its content");
    await refused("text.db:t", "text.db is no sqlite file by its content");
    await refused("new.db:t", "SQLite database 'new.db' not found");
    expect(readdirSync(bench.dir).sort()).toEqual(["text.db", "text.zip"]);
    await bench.call(writeTool, { path: "text.db", content: "new\n" });
    expect(readFileSync(join(bench.dir, "text.db"), "utf8")).toBe("new\n");
  });

  it("T-WRITE-2 lines of a member make no second member", async () => {
    bench.services.formats = builtinFormats;
    await bench.text(writeTool, { path: "a.zip:src/x.c", content: "1\n2\n" });
    await expect(bench.text(writeTool, { path: "a.zip:src/x.c:2", content: "x\n" })).rejects.toThrow(
      "a.zip:src/x.c:2 means a part of a.zip:src/x.c, and only the whole text can be named here",
    );
    expect(await read("a.zip:src")).not.toContain("x.c:2");
  });

  it("T-SUB-5 a new file below the home directory is written where ~ leads", async () => {
    await bench.text(writeTool, { path: "~/new.txt", content: "at home\n" });
    expect(await read(join(bench.dir, "new.txt"))).toContain("1:at home");
  });
});

describe("what was approved is what is opened", () => {
  it("T-READ-1 a file that is swapped between approval and opening is refused, never shown", async () => {
    put("secret", "TOP SECRET\n");
    put("public", "harmless\n");
    const at = (name: string): string => join(bench.dir, name);
    const swaps: readonly (() => void)[] = [
      () => {
        rmSync(at("a.txt"), { force: true });
        symlinkSync(at("secret"), at("a.txt"));
      },
      () => {
        rmSync(at("a.txt"), { force: true });
        linkSync(at("secret"), at("a.txt"));
      },
      () => {
        renameSync(at("a.txt"), at("old"));
        linkSync(at("secret"), at("moved"));
        renameSync(at("moved"), at("a.txt"));
      },
    ];
    for (let round = 0; round < (long ? 3_000 : 60); round++) {
      rmSync(at("a.txt"), { force: true });
      put("a.txt", "harmless\n");
      const swap = swaps[round % swaps.length] as () => void;
      const answer = await bench
        .text(readTool, { path: "a.txt" }, async () => swap())
        .catch((error: Error) => error.message);
      expect(answer).toContain("was replaced by another file");
    }
    put("a.txt", "harmless\n");
  });

  it("T-READ-1 a directory on the way that becomes a link is noticed", async () => {
    put("in/a.txt", "harmless\n");
    put("elsewhere/a.txt", "TOP SECRET\n");
    const answer = bench.text(readTool, { path: "in/a.txt" }, async () => {
      renameSync(join(bench.dir, "in"), join(bench.dir, "was"));
      symlinkSync(join(bench.dir, "elsewhere"), join(bench.dir, "in"));
    });
    await expect(answer).rejects.toThrow("was replaced by another file");
  });
});
