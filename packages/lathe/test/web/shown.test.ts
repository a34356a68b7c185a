// Addresses that the session was shown are read without a question; every other one is the question it was (decision 0342).

import { turn } from "@lathe/testkit";
import { afterEach, describe, expect, it } from "vitest";
import { type Stage, stage } from "../contract-kit.ts";
import { type FakeWeb, fakeWeb, links } from "./fake-web.ts";

let scene: Stage;
let web: FakeWeb;
afterEach(async () => {
  web.close();
  await scene.close();
});

const read = (...urls: readonly string[]) =>
  turn.calls(
    urls.map((url, at) => ({
      id: `r${at}`,
      name: at % 2 ? "web_fetch" : "read_file",
      args: at % 2 ? { url } : { file_path: url },
    })),
  );
const DOCS = "http://docs.example/start";

/** One run of the command over these answers of the model; what each call of the last answers told the model. */
async function run(
  prompt: readonly string[],
  ...answers: Parameters<typeof turn.calls>[0][] | ReturnType<typeof read>[]
) {
  const before = scene.server.requests.length;
  queued.push(...(answers as ReturnType<typeof read>[]), turn.text("done"));
  const ended = await scene.run(prompt, { env: web.env });
  const told = scene.server.requests
    .slice(before)
    .flatMap(({ view }) => view.messages.at(-1)?.results ?? [])
    .map(({ text, isError }) => `${isError ? "! " : ""}${text}`);
  return { ...ended, told };
}
const queued: ReturnType<typeof read>[] = [];

async function setUp(pages: Parameters<typeof fakeWeb>[0]): Promise<void> {
  web = await fakeWeb(pages);
  queued.length = 0;
  scene = await stage(() => queued.shift() ?? turn.text("nothing left"));
}
const EDIT = ["--permission-mode", "auto-edit"];
const PLAN = ["--permission-mode", "plan"];

describe("shown addresses", () => {
  it.each([EDIT, PLAN])(
    "what the user typed and what a page links is read in %s %s; a made-up address is not",
    async (...mode) => {
      await setUp({
        [DOCS]: links("next?page=2", "http://other.example/a"),
        "docs.example": links(),
        "other.example": links(),
      });
      const { told, code } = await run(
        [...mode, `Read ${DOCS}, please.`],
        read(DOCS),
        read("http://docs.example/next?page=2", "http://other.example/a"),
        read(
          "http://docs.example/next?page=3",
          "http://other.example/a/",
          "http://other.example/a?x",
          "http://other.example/",
        ),
      );
      expect([...web.heard].sort()).toEqual([
        "GET http://docs.example/next?page=2",
        `GET ${DOCS}`,
        "GET http://other.example/a",
      ]);
      expect(told.slice(0, 3).join("\n")).not.toContain("Denied");
      for (const text of told.slice(3)) expect(text).toContain("has shown exactly this address");
      expect(code).toBe(mode[1] === "plan" ? 0 : 4);
    },
  );
});
