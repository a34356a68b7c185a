// docs/extensions.md leads from nothing to a working extension: the test follows its text word for word.

import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { samplesOf } from "../../../scripts/samples/blocks.ts";
import { type ExtensionBox, extensionBox } from "./extensions-kit.ts";

const PAGE = fileURLToPath(new URL("../../../docs/extensions.md", import.meta.url));

let at: ExtensionBox;
beforeAll(async () => {
  at = await extensionBox();
});
afterAll(() => at.remove());

/** The words of a command as a shell splits them; the page needs no more than quotes. */
const words = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");

it("EX-03 the page's commands work in order, and say what the page says", async () => {
  const said: string[] = [];
  for (const { language, title, text } of samplesOf("docs/extensions.md", readFileSync(PAGE, "utf8"))) {
    if (title !== undefined) {
      const file = join(at.box.home, title.replace("~/", ""));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    if (language !== "sh") continue;
    for (const line of text.split("\n")) {
      const [program, ...args] = words(line);
      expect(program).toBe("lathe");
      const run = await at.box.run(args, { env: { ...at.env, LATHE_MODEL: "" } });
      expect({ line, code: run.code, stderr: run.stderr.replace(/^\[hello\].*\n/m, "") }).toEqual({
        line,
        code: 0,
        stderr: "",
      });
      said.push(`${line}: ${run.stdout}${run.stderr}`);
    }
  }
  expect(said.join("")).toMatch(
    /Wrote ~\/\.lathe\/extensions\/hello\.ts[\s\S]*hello +on; extension of user[\s\S]*Hello world, this is hello\.[\s\S]*Give a name: \/hello <name>[\s\S]*hello is off\.[\s\S]*hello is on\./,
  );
  expect(at.server.requests).toHaveLength(0);
});
