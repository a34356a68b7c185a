// A write into an archive or a notebook that SIGKILL interrupts leaves the old file or the new one.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { beforeAll, expect, it } from "vitest";
import { tgzFormat, zipFormat } from "../../src/files/formats/archive/index.ts";
import { notebookFormat } from "../../src/files/formats/notebook/index.ts";
import type { Format } from "../../src/files/target/format.ts";
import { newFileIn } from "../new-file.ts";
import { has } from "../programs.ts";
import { bundleOf } from "../support/bundle.ts";
import { type Scene, scene } from "./scene.ts";

let child: string;
beforeAll(async () => {
  child = await bundleOf("./keep-writing.ts", import.meta.url);
});

const HEADER = "# %% [code] cell:0\n";
const noise = randomBytes(3 << 20).toString("base64");

const kinds: readonly {
  readonly name: string;
  readonly format: Format;
  readonly inner: string;
  make(s: Scene): void;
  others(s: Scene): string;
}[] = [
  {
    name: "a.zip",
    format: zipFormat,
    inner: "dir/m",
    make: (s) => s.run("mkdir dir && printf a > dir/m && zip -q a.zip noise dir/m"),
    others: (s) => s.run("unzip -tq a.zip && unzip -p a.zip noise"),
  },
  {
    name: "a.tgz",
    format: tgzFormat,
    inner: "dir/m",
    make: (s) => s.run("mkdir dir && printf a > dir/m && tar czf a.tgz noise dir/m"),
    others: (s) => s.run("tar xzOf a.tgz noise"),
  },
  {
    name: "a.ipynb",
    format: notebookFormat,
    inner: "",
    make: (s) => {
      const cell = {
        cell_type: "code",
        execution_count: 1,
        id: "x",
        metadata: {},
        outputs: [{ output_type: "stream", name: "stdout", text: noise }],
        source: "a",
      };
      s.write("a.ipynb", JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 }));
    },
    others: (s) => JSON.parse(s.bytes("a.ipynb").toString()).cells[0].outputs[0].text,
  },
];

it.skipIf(!has("zip", "unzip", "tar")).each(kinds)(
  "T-WRITE-2 T-READ-7 SIGKILL while $name is written: old or new, never half",
  async ({ name, format, inner, make, others }) => {
    using s = scene();
    s.write("noise", noise);
    make(s);
    for (let round = 0; round < (process.env["LATHE_LONG"] ? 6 : 1); round++) {
      const path = inner === "" ? name : `${name}:${inner}`;
      const args = [child, s.dir, path, inner === "" ? HEADER : ""];
      const writer = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
      const writing = newFileIn(s.dir);
      const ended = once(writer, "exit");
      const early = ended.then(([code]) => Promise.reject(new Error(`the writer ended by itself: ${code}`)));
      await Promise.race([once(writer.stdout, "data"), early]);
      await Promise.race([writing, early]);
      early.catch(() => {}); // from here on, we end the process
      writer.kill("SIGKILL");
      await ended;
      const text = (await s.text(format, name, inner)).replace(HEADER, "").trim();
      expect(text).toMatch(/^(?:a|a{1000}|b{1000})$/);
      expect(others(s).endsWith(noise)).toBe(true);
    }
  },
  300_000,
);
