import { execFileSync } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Bench, toolBench } from "../../../../test/call-tool.ts";
import { SchemeRegistry } from "../../../contract/seams/schemes.ts";
import { minimalReadTool } from "../minimal/read/index.ts";
import { readManyFilesTool } from "../read-many-files/index.ts";
import { readFileTool } from "./index.ts";

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

let bench: Bench;
beforeEach(async () => {
  bench = await toolBench();
});
afterEach(() => bench.close());
const file = (name: string, content: string | Uint8Array): Promise<void> => writeFile(join(bench.dir, name), content);

describe("read_file", () => {
  it("TL-01 numbers the lines, aligned to the widest number shown", async () => {
    await file("a.txt", "one\ntwo\nthree\n");
    expect(await bench.text(readFileTool, { file_path: "a.txt" })).toBe("1 | one\n2 | two\n3 | three");
    await file("b.txt", Array.from({ length: 12 }, (_, i) => `l${i + 1}`).join("\n"));
    expect(await bench.text(readFileTool, { file_path: "b.txt", offset: 9, limit: 3 })).toBe(
      " 9 | l9\n10 | l10\n11 | l11\n[1 more lines; continue with offset=12]",
    );
  });

  it("TL-01 shows 2000 of 5000 lines and says how to continue; an offset beyond the end states the count", async () => {
    await file("long.txt", "x\n".repeat(5000));
    const lines = (await bench.text(readFileTool, { file_path: "long.txt" })).split("\n");
    expect(lines).toHaveLength(2001);
    expect(lines.at(-1)).toBe("[3000 more lines; continue with offset=2001]");
    await expect(bench.call(readFileTool, { file_path: "long.txt", offset: 5001 })).rejects.toThrow(
      "has 5000 lines; offset 5001",
    );
  });

  it("TL-01 an empty file, a directory, a missing file and a binary file each say what to do", async () => {
    await file("empty", "");
    await mkdir(join(bench.dir, "sub"));
    await file("server.ts", "");
    await file("bin", Buffer.from([1, 0, 2]));
    expect(await bench.text(readFileTool, { file_path: "empty" })).toBe("(empty file)");
    await expect(bench.call(readFileTool, { file_path: "sub" })).rejects.toThrow("is a directory");
    await expect(bench.call(readFileTool, { file_path: "sevrer.ts" })).rejects.toThrow("Did you mean server.ts?");
    await expect(bench.call(readFileTool, { file_path: "sub/server.ts" })).rejects.toThrow("Did you mean server.ts?");
    await expect(bench.call(readFileTool, { file_path: "bin" })).rejects.toThrow("is a binary file");
  });

  it("TL-01 a pipe or a device is refused instead of waited for", async () => {
    execFileSync("mkfifo", [join(bench.dir, "pipe")]);
    await expect(bench.call(readFileTool, { file_path: "pipe" })).rejects.toThrow("pipe is a pipe, socket or device");
    await expect(bench.call(readFileTool, { file_path: "/dev/zero" })).rejects.toThrow("not a file");
    expect(await bench.text(readManyFilesTool, { paths: ["pipe"] })).toContain("[ERROR: pipe is a pipe");
  });

  it("TL-01 K-29 an image larger than providers take is not sent as it is: it would make every later request fail", async () => {
    await file("big.png", Buffer.concat([PNG, Buffer.alloc(4 << 20)]));
    bench.services.images = { autoResize: false };
    await expect(bench.call(readFileTool, { file_path: "big.png" })).rejects.toThrow("Make a smaller copy");
    bench.services.vision = false;
    expect(await bench.text(readFileTool, { file_path: "big.png" })).toContain("cannot look at images");
  });

  it("TL-01 K-29 an image is a picture for a model that sees, a note for one that does not", async () => {
    await file("dot.png", PNG);
    const seen = await bench.call(readFileTool, { file_path: "dot.png" });
    expect(seen.content[1]).toEqual({ kind: "image", image: { data: PNG, mediaType: "image/png" } });
    bench.services.vision = false;
    expect(await bench.text(readFileTool, { file_path: "dot.png" })).toContain("cannot look at images");
  });

  it("D-078 a huge line is whole, but for several files at once: there it is cut between characters, and says so", async () => {
    const line = `${"a".repeat(1999)}😀${"b".repeat(5000)}`;
    await file("min.js", line);
    expect(await bench.text(readFileTool, { file_path: "min.js" })).toBe(`1 | ${line}`);
    const shown = await bench.text(readManyFilesTool, { paths: ["min.js"] });
    expect(shown.length).toBeLessThan(2200);
    expect(shown).toContain("[... 5002 more characters in this line; read the file alone]");
    expect(shown.isWellFormed()).toBe(true);
  });

  it("UTF-16 is text", async () => {
    await file("wide.txt", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("hällo\r\nwelt", "utf16le")]));
    expect(await bench.text(readFileTool, { file_path: "wide.txt" })).toBe("1 | hällo\n2 | welt");
  });

  it("an address is read by its resolver, with paging", async () => {
    bench.services.schemes = new SchemeRegistry({ artifact: { read: async () => "a\nb\nc" } });
    expect(await bench.text(readFileTool, { file_path: "artifact://0", offset: 2 })).toBe("2 | b\n3 | c");
  });

  it("remembers what was shown, for edits that come later", async () => {
    await file("a.txt", "one\r\ntwo");
    await bench.call(readFileTool, { file_path: "a.txt" });
    expect(bench.services.shownFiles?.latest(join(bench.dir, "a.txt"))?.text).toBe("one\ntwo");
  });
});

describe("read_many_files", () => {
  it("TL-07 reads what can be read and shows the error of the one that cannot in its place", async () => {
    await file("a.ts", "A");
    await file("b.ts", "B");
    const shown = await bench.text(readManyFilesTool, { paths: ["a.ts", "missing.txt", "*.ts"] });
    expect(shown).toBe(
      "--- a.ts ---\n1 | A\n\n--- missing.txt ---\n[ERROR: File not found: missing.txt. Search for its name or list the directory to find the right path.]\n\n--- b.ts ---\n1 | B",
    );
    expect(await bench.text(readManyFilesTool, { paths: ["*.go", "a.ts"] })).toMatch(
      /^--- a\.ts ---\n1 \| A\n\n--- \*\.go ---\n\[ERROR: File not found: \*\.go\./,
    );
    await expect(bench.call(readManyFilesTool, { paths: ["*.go"] })).rejects.toThrow("No file matches *.go.");
  });
});

describe("read of the four-tool set", () => {
  it("HD-02 D-091 numbers like cat -n and warns when a long file was cut", async () => {
    await file("a.txt", "one\ntwo\n");
    expect(await bench.text(minimalReadTool, { file_path: "a.txt" })).toBe("     1\tone\n     2\ttwo");
    await file("long.txt", "x\n".repeat(5001));
    const shown = await bench.text(minimalReadTool, { file_path: "long.txt" });
    // The note comes before the text, so that truncated output keeps it.
    expect(shown).toMatch(
      /^WARNING: File has 5001 lines, showing first 5000\. Use offset and limit parameters to read more\.\n\n {5}1\tx\n/,
    );
    expect(shown.split("\n").at(-1)).toBe("  5000\tx");
    expect(await bench.text(minimalReadTool, { file_path: "long.txt", offset: 4999, limit: 2 })).toBe(
      "  4999\tx\n  5000\tx",
    );
    const { schema } = minimalReadTool;
    expect(schema).toMatchObject({ properties: { limit: { minimum: 1, maximum: 5000 }, offset: { minimum: 1 } } });
  });
});
