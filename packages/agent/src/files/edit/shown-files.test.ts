import { describe, expect, it } from "vitest";
import { ShownFiles } from "./shown-files.ts";

describe("T-EDIT-4 what a session has shown", () => {
  it("T-EDIT-2 the same content has the same tag, whatever its endings or byte order mark; another has another", () => {
    const shown = new ShownFiles();
    const tag = shown.record("/f", "a\nb\n");
    expect(tag).toMatch(/^[0-9A-F]{4}$/);
    expect(shown.record("/f", "\uFEFFa\r\nb\r\n")).toBe(tag);
    expect(shown.record("/f", "a\nc\n")).not.toBe(tag);
    expect(shown.byTag("/f", tag)?.text).toBe("a\nb\n");
  });

  it("T-EDIT-2 tags of one path never collide", () => {
    // Some of a thousand would have the tag of another by pure chance.
    const count = process.env["LATHE_LONG"] ? 3000 : 1000;
    const shown = new ShownFiles({ versionsPerPath: count });
    const tags = Array.from({ length: count }, (_, index) => shown.record("/f", `${index}\n`));
    expect(new Set(tags).size).toBe(count);
  });

  it("T-EDIT-4 memory is bounded: old paths and old versions go first, the newest stays", () => {
    const shown = new ShownFiles({ totalLength: 100, paths: 3 });
    for (const name of ["/a", "/b", "/c", "/d"]) shown.record(name, `${name}${"x".repeat(20)}`);
    expect(shown.latest("/a")).toBeUndefined();
    expect(shown.latest("/b")).toBeDefined();
    for (let index = 0; index < 10; index++) shown.record("/d", `${index}${"y".repeat(60)}`);
    expect(shown.versions("/d").map((version) => version.text?.[0])).toEqual(["9"]);
    expect(shown.latest("/b")).toBeUndefined();
  });

  it("T-EDIT-4 a text too large to keep is known by its digest", () => {
    const shown = new ShownFiles({ textLength: 5 });
    const tag = shown.record("/f", "longer text");
    expect(shown.byTag("/f", tag)).toMatchObject({ tag });
    expect(shown.byTag("/f", tag)?.text).toBeUndefined();
  });
});
