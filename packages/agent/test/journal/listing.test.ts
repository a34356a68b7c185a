import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Message } from "@lathe/llm";
import { describe, expect, it } from "vitest";
import { FileStore } from "../../src/record/journal/file-store.ts";
import { Journal } from "../../src/record/journal/journal.ts";
import { readHead } from "../../src/record/journal/listing.ts";
import { sessionPath } from "../../src/record/journal/paths.ts";
import { tempFolder, testDeps, testOwner } from "./support.ts";

const user = (text: string) => ({ type: "message", message: Message.user(text) }) as const;

function session(path: string): Journal {
  const open = () => new FileStore(path, { owner: testOwner(), create: true });
  return Journal.create({ id: "s1", cwd: "/home/me/my:project" }, open, testDeps());
}

describe("session files", () => {
  it("D-085 G-24 lie at <root>/--<cwd>--/<time>_<id>.jsonl with a header line and one object per line", async () => {
    const root = tempFolder();
    const path = sessionPath(root, "/home/me/my:project", "2026-01-02T03:04:05.678Z", "s1");
    expect(path).toBe(join(root, "--home-me-my-project--", "2026-01-02T03-04-05-678Z_s1.jsonl"));
    const journal = session(path);
    const prompt = journal.append(user("hi"));
    await journal.close();
    const [header, entry, ...rest] = readFileSync(path, "utf8").split("\n");
    expect(JSON.parse(header!)).toMatchObject({ type: "session", version: 4, id: "s1", cwd: "/home/me/my:project" });
    expect(JSON.parse(entry!)).toMatchObject({ type: "message", id: prompt.id, parentId: null });
    expect(rest).toEqual([""]);
  });

  it("D-087 a key in what a host passes as header does not reach the file", async () => {
    const path = join(tempFolder(), "s.jsonl");
    const config = { id: "s", cwd: "/", apiKey: "sk-secret", config: { apiKey: "sk-secret" } };
    const journal = Journal.create(config, () => new FileStore(path, { owner: testOwner(), create: true }), testDeps());
    journal.append(user("hi"));
    await journal.close();
    expect(readFileSync(path, "utf8")).not.toContain("sk-secret");
  });
});

describe("the head of a session for lists", () => {
  it("G-36 gives header, title and first text of a short file", async () => {
    const path = join(tempFolder(), "s.jsonl");
    const journal = session(path);
    journal.append(user('first "text"'));
    journal.setTitle("Draft", "auto");
    journal.setTitle("Final", "user");
    await journal.close();
    expect(readHead(path)).toMatchObject({ header: { id: "s1" }, title: "Final", firstText: 'first "text"' });
  });

  it("G-36 finds the title of a long file at its end, without reading the middle", async () => {
    const path = join(tempFolder(), "s.jsonl");
    const journal = session(path);
    journal.append(user(`start of a long text ${"é\n".repeat(10_000)}`));
    journal.setTitle("Long one", "auto");
    for (let round = 0; round < 50; round++) {
      journal.append(user("x".repeat(1000)));
      await journal.turnEnd();
    }
    await journal.close();
    const whole = readFileSync(path);
    whole.fill("#", 4096, whole.length - 4096);
    writeFileSync(path, whole);
    const head = readHead(path);
    expect(head?.title).toBe("Long one");
    expect(head?.firstText).toMatch(/^start of a long text (é\n)+$/);
    expect(head?.bytes).toBe(whole.length);
  });

  it("gives nothing for a file that is no session", () => {
    const path = join(tempFolder(), "s.jsonl");
    writeFileSync(path, "hello\n");
    expect(readHead(path)).toBe(undefined);
    writeFileSync(path, "");
    expect(readHead(path)).toBe(undefined);
  });
});
