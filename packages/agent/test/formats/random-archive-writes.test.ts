// Random archives from real programs, random writes, and the real programs again.

import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { tarFormat, tgzFormat, zipFormat } from "../../src/files/formats/archive/index.ts";
import { has } from "../programs.ts";
import { type Scene, scene } from "./scene.ts";

const rounds = process.env["LATHE_LONG"] ? 1000 : 4;

describe.skipIf(!has("zip", "unzip", "tar"))("random writes", () => {
  it(`T-WRITE-2 ${rounds} random archives and writes: every other member keeps its bytes`, async () => {
    using s = scene();
    let seed = 7;
    const random = (most: number) => {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      return seed % most;
    };
    const names = ["a", "b.txt", "dir/c", "dir/deep/d e", "ünï", "x".repeat(120), "dir/z.bin"];
    const content = () => Array.from({ length: random(40) }, () => `line ${random(1000)}\n`).join("");
    for (let round = 0; round < rounds; round++) {
      const name = (["r.zip", "r.tar", "r.tgz"] as const)[round % 3] as string;
      const format = name.endsWith("zip") ? zipFormat : name.endsWith("tgz") ? tgzFormat : tarFormat;
      s.run("rm -rf in r.* && mkdir -p in/dir/deep");
      const inside = names.filter(() => random(3) > 0);
      for (const one of inside)
        s.write(`in/${one}`, random(4) === 0 ? createHash("sha512").update(`${seed}`).digest() : content());
      if (inside.length > 0) {
        const style = ["-H gnu", "-H pax", "-H oldgnu"][random(3)];
        s.run(
          name === "r.zip"
            ? `cd in && zip -qr${random(2) ? "0" : ""} ../r.zip .`
            : `cd in && tar c${name === "r.tgz" ? "z" : ""}f ../${name} ${style} .`,
        );
      }
      const expected = new Map(inside.map((one) => [one, s.bytes(`in/${one}`)]));
      for (let write = 0; write <= random(3); write++) {
        const target = names[random(names.length)] as string;
        const isRemoved = expected.has(target) && random(4) === 0;
        const text = content();
        await s.set(format, name, target, isRemoved ? undefined : text);
        if (isRemoved) expected.delete(target);
        else expected.set(target, Buffer.from(text));
      }
      check(s, name, expected);
    }
  }, 600_000);
});

/** Read by the real programs. */
function check(s: Scene, name: string, expected: ReadonlyMap<string, Buffer>): void {
  s.run(
    `rm -rf out && mkdir out && cd out && ${name === "r.zip" ? "(unzip -qo ../r.zip || [ $? -eq 1 ])" : `tar xf ../${name}`}`,
  );
  const found = s
    .run("cd out && find . -type f -print0")
    .split("\0")
    .filter(Boolean)
    .map((path) => path.slice(2));
  expect(new Set(found)).toEqual(new Set(expected.keys()));
  for (const [path, bytes] of expected) expect(s.bytes(`out/${path}`).equals(bytes), `${name}:${path}`).toBe(true);
}
