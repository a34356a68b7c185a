// Archives made by the real programs, and our archives read by the real programs.

import { describe, expect, it } from "vitest";
import { tarFormat, tgzFormat, zipFormat } from "../../src/files/formats/archive/index.ts";
import { has } from "../programs.ts";
import { type Scene, scene } from "./scene.ts";

const formats = { "a.zip": zipFormat, "a.tar": tarFormat, "a.tgz": tgzFormat, "a.tar.gz": tgzFormat } as const;
const names = Object.keys(formats) as (keyof typeof formats)[];

const pack: Readonly<Record<keyof typeof formats, string>> = {
  "a.zip": "zip -qr a.zip src README.md data.bin big.txt 'ünïcode ☃.txt'",
  "a.tar": "tar cf a.tar src README.md data.bin big.txt 'ünïcode ☃.txt'",
  "a.tgz": "tar czf a.tgz src README.md data.bin big.txt 'ünïcode ☃.txt'",
  "a.tar.gz": "tar czf a.tar.gz src README.md data.bin big.txt 'ünïcode ☃.txt'",
};

function packed(name: keyof typeof formats): Scene {
  const made = scene();
  made.run("mkdir -p src/deep && seq 1 40 > src/x.c && echo hello > src/deep/y.txt && echo read me > README.md");
  made.run("head -c 3000 /dev/urandom > data.bin && seq 1 20000 > big.txt && echo snow > 'ünïcode ☃.txt'");
  made.run(pack[name]);
  return made;
}

/** Content of all members, according to the real program. */
const unpacked = (s: Scene, name: string): string =>
  s.run(
    `rm -rf out && mkdir out && cd out && ${name.endsWith(".zip") ? `unzip -qo ../${name}` : `tar xf ../${name}`} && find . -type f -exec sha256sum {} + | sort -k2`,
  );

describe.skipIf(!has("zip", "unzip", "tar"))("archives of real programs", () => {
  it.each(names)(
    "T-READ-5 %s: members are read as tar and unzip unpack them, a selector stays for the reader",
    async (name) => {
      using s = packed(name);
      expect(await s.text(formats[name], name, "src/x.c")).toBe(s.bytes("src/x.c").toString());
      expect(await s.text(formats[name], name, "./src//deep/y.txt")).toBe("hello\n");
      expect(await s.text(formats[name], name, "ünïcode ☃.txt")).toBe("snow\n");
      expect(await s.read(formats[name], name, "src/x.c:2-3")).toMatchObject({
        kind: "text",
        inner: "src/x.c",
        isEditable: true,
        selector: { ranges: [{ first: 2, last: 3 }] },
      });
      expect(await s.text(formats[name], name, "data.bin")).toBe(
        `[${name}:data.bin is not text: 3000 bytes. Extract it in the shell to look at it.]`,
      );
    },
  );

  it.each(names)("T-READ-5 %s: a listing shows the immediate children with sizes", async (name) => {
    using s = packed(name);
    expect(await s.text(formats[name], name)).toBe(
      ["README.md  8 B", "big.txt  106.3 KB", "data.bin  2.9 KB", "src/  2 files, 117 B", "ünïcode ☃.txt  5 B"].join(
        "\n",
      ),
    );
    expect(await s.text(formats[name], name, "src")).toBe("deep/  1 file, 6 B\nx.c  111 B");
    expect(await s.text(formats[name], name, "src/")).toBe("deep/  1 file, 6 B\nx.c  111 B");
    await expect(s.read(formats[name], name, "y.txt")).rejects.toThrow(
      `${name} has no member y.txt. Did you mean src/deep/y.txt?`,
    );
    await expect(s.read(formats[name], name, "nothing")).rejects.toThrow(`Read ${name} to list its members.`);
  });

  it.each(names)(
    "T-WRITE-2 G-84 %s: a changed, an added and a removed member; all others keep their bytes",
    async (name) => {
      using s = packed(name);
      const before = unpacked(s, name).split("\n");
      await s.set(formats[name], name, "src/x.c", "int main;\n");
      await s.set(formats[name], name, "new/dir/ñ.txt", "new\n");
      await s.set(formats[name], name, "README.md", undefined);
      const after = unpacked(s, name).split("\n");
      const unchanged = before.filter((line) => !/x\.c|README/.test(line));
      expect(after.filter((line) => !/x\.c|ñ/.test(line))).toEqual(unchanged);
      expect(s.run("cat out/src/x.c 'out/new/dir/ñ.txt'")).toBe("int main;\nnew\n");
      expect(await s.text(formats[name], name, "new/dir/ñ.txt")).toBe("new\n");
    },
  );

  it.each(names)("T-WRITE-2 G-84 %s: an archive that is not there yet is created", async (name) => {
    using s = scene();
    await s.set(formats[name], name, "x/y.txt", "content\n");
    expect(
      s.run(name.endsWith(".zip") ? `unzip -tq ${name} && unzip -p ${name} x/y.txt` : `tar xOf ${name} x/y.txt`),
    ).toContain("content\n");
  });

  it("T-WRITE-2 a zip keeps comments, extra fields, order and compressed bytes of what is not written", async () => {
    using s = packed("a.zip");
    s.run(
      "zip -q -0 a.zip README.md && echo 'of the archive' | zip -qz a.zip && printf 'of a member\\n' | zip -qc a.zip src/x.c",
    );
    const raw = (list: string) =>
      list.split("\n").filter((line) => !/x\.c|Archive|Zip file size|bytes uncompressed/.test(line));
    const listed = s.run("zipinfo -l a.zip");
    const extra = (name: string) => s.run(`zipinfo -v a.zip ${name} | grep -E 'extra field|comment|permissions'`);
    const [oldExtra, oldOther] = [extra("src/x.c"), extra("big.txt")];
    await s.set(zipFormat, "a.zip", "src/x.c", "changed");
    await s.set(zipFormat, "a.zip", "z.txt", "z");
    expect(raw(s.run("zipinfo -l a.zip")).filter((line) => !line.includes("z.txt"))).toEqual(raw(listed));
    expect(extra("src/x.c")).toBe(oldExtra);
    expect(extra("big.txt")).toBe(oldOther);
    expect(s.run("unzip -z a.zip")).toContain("of the archive");
    expect(s.run("unzip -tq a.zip")).toContain("No errors");
    expect(await s.text(zipFormat, "a.zip", "z.txt")).toBe("z");
  });

  it("T-READ-5 a zip written to a pipe has its sizes behind the members", async () => {
    using s = packed("a.zip");
    s.run("cat big.txt | zip -q - - > piped.zip && zip -qr - src > streamed.zip");
    expect(await s.text(zipFormat, "piped.zip", "-")).toBe(s.bytes("big.txt").toString());
    await s.set(zipFormat, "streamed.zip", "src/x.c", "short");
    expect(s.run("unzip -tq streamed.zip && unzip -p streamed.zip src/deep/y.txt src/x.c")).toContain("shorthello\n");
  });

  it("T-READ-5 zip64, a prefix before the archive, and names of the first PCs", async () => {
    using s = packed("a.zip");
    s.run(
      "zip -q -fz wide.zip src/x.c README.md && (echo '#!/bin/sh'; cat a.zip) > prefixed.zip && cp README.md aa && zip -q c.zip aa",
    );
    for (const name of ["wide.zip", "prefixed.zip"]) {
      expect(await s.text(zipFormat, name, "src/x.c")).toBe(s.bytes("src/x.c").toString());
      await s.set(zipFormat, name, "README.md", "other\n");
      await s.set(zipFormat, name, "added", "added\n");
      expect(
        s.run(`for how in -tqq -p; do unzip $how ${name} README.md added 2>/dev/null || [ $? -eq 1 ] || exit 9; done`),
      ).toContain("other\nadded\n");
      expect(await s.text(zipFormat, name, "src/x.c")).toBe(s.bytes("src/x.c").toString());
    }
    const old = s.bytes("c.zip");
    for (let at = old.indexOf("aa"); at >= 0; at = old.indexOf("aa", at + 2)) old.set([0x81, 0xe1], at);
    s.write("c.zip", old);
    expect(await s.text(zipFormat, "c.zip")).toBe("üß  8 B");
    await s.set(zipFormat, "c.zip", "üß", "changed");
    expect(await s.text(zipFormat, "c.zip", "üß")).toBe("changed");
    expect(s.bytes("c.zip").indexOf(Buffer.from([0x81, 0xe1]))).toBe(30);
  });

  it("T-READ-5 long names: GNU, pax and ours", async () => {
    using s = scene();
    const long = `${"d".repeat(80)}/${"e".repeat(80)}/${"f".repeat(120)}.txt`;
    s.run(
      `mkdir -p $(dirname ${long}) && echo long > ${long} && tar -H gnu -cf g.tar ${long} && tar -H pax -cf p.tar ${long}`,
    );
    for (const name of ["g.tar", "p.tar"]) {
      expect(await s.text(tarFormat, name, long)).toBe("long\n");
      await s.set(tarFormat, name, long, "longer\n");
      await s.set(tarFormat, name, `${long}2`, "second\n");
      await s.set(tarFormat, name, `${"p".repeat(60)}/${"q".repeat(60)}`, "third\n");
      expect(s.run(`tar xOf ${name}`)).toBe("longer\nsecond\nthird\n");
      expect(s.run(`tar tf ${name}`).split("\n").slice(0, 3)).toEqual([
        long,
        `${long}2`,
        `${"p".repeat(60)}/${"q".repeat(60)}`,
      ]);
    }
  });

  it("T-READ-5 a tar keeps the headers of what is not written, and the mode of what is", async () => {
    using s = packed("a.tar");
    s.run("chmod 755 src/x.c && tar -H pax --owner=ada:1234 --group=devs:99 --xattrs -cf a.tar src README.md");
    const listed = s.run("tar tvf a.tar --full-time").split("\n");
    await s.set(tarFormat, "a.tar", "src/x.c", "changed");
    const now = s.run("tar tvf a.tar --full-time").split("\n");
    expect(now.map((line) => line.replace(/ +7 /, " 111 "))).toEqual(
      listed.map((line) => line.replace(/ +111 /, " 111 ")),
    );
  });

  it("G-84 paths that lead out of an archive, or to no file, are refused", () => {
    const normalise = (inner: string) => zipFormat.parts?.normalise(inner, "a.zip");
    expect(() => normalise("")).toThrow("Archive write path must target a file inside the archive");
    expect(() => normalise("./")).toThrow("Archive write path must target a file inside the archive");
    expect(() => normalise("x/")).toThrow("Archive write path must target a file, not a directory");
    expect(() => normalise("../x")).toThrow("Archive path cannot contain '..'");
    expect(() => normalise("a/../../x")).toThrow("Archive path cannot contain '..'");
    expect(() => normalise("/etc/passwd")).toThrow("Archive path cannot be absolute");
    expect(normalise("./a//b/./c")).toBe("a/b/c");
  });

  it.each(["a.zip", "a.tar", "a.tgz"] as const)(
    "%s: links are not written through, files are no directories",
    async (name) => {
      using s = scene();
      s.run("mkdir real && echo x > real/f && ln -s real link && ln -s real/f flink");
      s.run(
        name === "a.zip"
          ? "zip -qry a.zip real link flink"
          : `tar c${name === "a.tgz" ? "z" : ""}f ${name} real link flink`,
      );
      const set = (inner: string) => s.set(formats[name], name, inner, "x");
      const old = s.bytes(name);
      await expect(set("flink")).rejects.toThrow("flink is a link, and links are not written through");
      await expect(set("link/f")).rejects.toThrow("link is a link, and links are not written through");
      await expect(set("real/f/below")).rejects.toThrow("real/f is a file");
      await expect(set("real")).rejects.toThrow("real is a directory");
      expect(s.bytes(name).equals(old)).toBe(true);
      expect(await s.text(formats[name], name, "flink")).toBe(
        `[${name}:flink is a link to real/f; links in archives are not followed]`,
      );
    },
  );

  it.each(["a.zip", "a.tar", "a.tgz"] as const)(
    "%s: of two members with one name the last is read, and neither is written",
    async (name) => {
      using s = scene();
      s.run("echo first > f && echo second > g");
      if (name === "a.zip") {
        s.run("zip -q a.zip f g");
        const bytes = s.bytes("a.zip");
        for (let at = bytes.indexOf("PK"); at >= 0; at = bytes.indexOf("PK", at + 2)) {
          const nameAt = bytes[at + 2] === 3 ? at + 30 : at + 46;
          if (bytes[at + 2] !== 5 && bytes[nameAt] === 0x67) bytes[nameAt] = 0x66;
        }
        s.write("a.zip", bytes);
      } else {
        s.run("tar cf a.tar f && tar rf a.tar --transform=s/g/f/ g && gzip -k a.tar && mv a.tar.gz a.tgz");
      }
      expect(await s.read(formats[name], name, "f")).toMatchObject({
        text: "second\n",
        isEditable: false,
        notes: [`${name} has 2 members named f; this is the last one, which extraction would keep.`],
      });
      expect(await s.text(formats[name], name)).toContain("2 times; the last one is read");
      await expect(s.set(formats[name], name, "f", "x")).rejects.toThrow(
        "f is in it 2 times (the last one is what is read)",
      );
    },
  );

  it.each(names)("%s: search gets the text of every member that has one", async (name) => {
    using s = packed(name);
    const entries = (await formats[name].list?.(s.file(name))) ?? [];
    const texts = await Promise.all(entries.map(async (entry) => [entry.inner, (await entry.text())?.length]));
    expect(Object.fromEntries(texts)).toEqual({
      "src/x.c": 111,
      "src/deep/y.txt": 6,
      "README.md": 8,
      "data.bin": undefined,
      "big.txt": 108894,
      "ünïcode ☃.txt": 5,
    });
  });
});
