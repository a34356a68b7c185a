import { Message } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { Journal } from "../../src/journal/journal.ts";
import { storeKinds, testDeps } from "./support.ts";

describe.each(storeKinds)("journal over a $name store", (kind) => {
  const user = (text: string) => ({ type: "message", message: Message.user(text) }) as const;

  it("SP-01 G-24 chains entries, reopens to the same state and appends without touching what was there", async () => {
    const place = kind.make();
    const deps = testDeps();
    const first = Journal.create({ id: "s1", cwd: "/w" }, () => place.open(), deps);
    const ids = ["one", "two", "three"].map((text) => first.append(user(text)).id);
    await first.close();

    const second = Journal.open(place.open(), deps);
    expect(second.losses).toEqual([]);
    expect(second.header).toMatchObject({ type: "session", version: 4, id: "s1", cwd: "/w" });
    expect([...second.entryIds()]).toEqual(ids);
    expect(ids.every((id) => /^[0-9a-z]{8}$/.test(id))).toBe(true);
    expect(ids.map((id) => second.meta(id)?.parentId)).toEqual([null, ids[0], ids[1]]);
    expect(second.leaf).toBe(ids[2]);
    expect(second.context.messages).toEqual(["one", "two", "three"].map((text) => Message.user(text)));
    second.append(user("four"));
    await second.close();
    const third = Journal.open(place.open(), deps);
    expect(third.context.messages).toHaveLength(4);
    await third.close();
  });
});
