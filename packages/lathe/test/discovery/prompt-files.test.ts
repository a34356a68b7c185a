// What files add to the system prompt of a real session.

import { execFileSync } from "node:child_process";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterEach, expect, it } from "vitest";
import { conversation, type Talk } from "../conversation-kit.ts";

let talk: Talk;
afterEach(async () => {
  await talk.talk.close();
  await talk.server.close();
});

/** The user's home is the root, as is the folder of the project: a folder below has the project's files. */
async function start(
  files: Readonly<Record<string, string>>,
  cwd = ".",
  trusted = [".lathe/SYSTEM.md", ".lathe/APPEND_SYSTEM.md", ".claude/SYSTEM.md"],
): Promise<void> {
  talk = await conversation(
    {},
    { files: { "project/.git/HEAD": "ref: refs/heads/main\n", ...files }, cwd: join("project", cwd), trusted },
  );
  talk.answer(() => turn.text("ok"));
}

interface Body {
  readonly system: readonly { readonly text: string }[];
  readonly messages: readonly { readonly content: readonly { readonly text: string }[] }[];
}
const lastBody = (): Body => talk.server.requests.at(-1)?.body as unknown as Body;
const system = (): string =>
  lastBody()
    .system.map(({ text }) => text)
    .join("\n\n");

const change = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(join(talk.root, path)), { recursive: true });
  await writeFile(join(talk.root, path), text);
};

it("LS-07 SYSTEM.md replaces prompt and lists, APPEND_SYSTEM.md ends it, both as written; cwd and date are in the first turn", async () => {
  await start({ "project/.lathe/SYSTEM.md": "S {{cwd}}", "project/.lathe/APPEND_SYSTEM.md": "A" });
  await talk.say("hello");
  expect(system()).toBe("S {{cwd}}\n\n## User instructions\n\nA");
  const first = lastBody()
    .messages[0]!.content.map(({ text }) => text)
    .join("\n");
  expect(first).toContain(`Working directory: ${talk.root}/project`);
  expect(first).toMatch(/Today's date: \d{4}-\d\d-\d\d/);
});

it("LS-07 from a folder below neither file is used; the user's are, and another agent's of the project before them", async () => {
  await start(
    {
      "project/.lathe/SYSTEM.md": "S",
      "project/.lathe/APPEND_SYSTEM.md": "A",
      "project/sub/.claude/SYSTEM.md": "the project's",
    },
    "sub",
  );
  await rm(join(talk.root, "project/sub/.claude"), { recursive: true });
  await talk.say("hello");
  expect(system()).not.toMatch(/^S$|^A$/m);
  expect(system()).toContain("## Available tools");
  await change(".lathe-home/SYSTEM.md", "the user's");
  await talk.talk.startNew();
  await talk.say("hello");
  expect(system()).toBe("the user's");
  await change("project/sub/.claude/SYSTEM.md", "the project's");
  await talk.talk.startNew();
  await talk.say("hello");
  expect(system()).toBe("the project's");
});

it("LS-07 a SYSTEM.md replaces nothing before its folder is trusted, and again once it has changed; one line says so", async () => {
  const files = { "project/.lathe/SYSTEM.md": "S", "project/.lathe/APPEND_SYSTEM.md": "A" };
  await start(files, ".", []);
  await talk.say("hello");
  expect(system()).toContain("## Available tools");
  expect(system()).not.toMatch(/^[SA]$/m);
  expect(talk.warnings.join("\n")).toContain("SYSTEM.md: this folder is not trusted; it is ignored.");
  await talk.talk.close();
  await talk.server.close();
  await start(files);
  await change("project/.lathe/SYSTEM.md", "other");
  await talk.talk.startNew();
  await talk.say("hello");
  expect(system()).not.toMatch(/^other/m);
});

it.each([".env", ".git/config", "keys/server.pem"])(
  "an instruction file, a rule, a command or an instruction of opencode.json that leads to %s is left out, and one line says so",
  async (secret) => {
    const opencode = JSON.stringify({ instructions: [secret] });
    await start({
      [`project/${secret}`]: "TOKEN=s3cret",
      "project/opencode.json": opencode,
      "project/.lathe/rules/a": "",
    });
    const link = (path: string) => symlink(join(talk.root, "project", secret), join(talk.root, "project", path));
    await mkdir(join(talk.root, "project/sub"));
    await link("AGENTS.md");
    await link(".cursorrules");
    await link(".lathe/AGENTS.md");
    await link(".lathe/rules/always.md");
    await symlink(join(talk.root, "project", dirname(secret)), join(talk.root, "project/.lathe/instructions"));
    await talk.talk.startNew();
    await talk.say("hello");
    expect(JSON.stringify(lastBody())).not.toContain("s3cret");
    expect(system()).toContain("[Omitted: this link leads to a file that may hold keys]");
    expect(talk.warnings.join("\n")).toMatch(
      /project\/\.lathe\/AGENTS\.md: it may hold keys or passwords and is left out/,
    );
    expect(talk.warnings.join("\n")).toContain(`project/${secret}: it may hold keys or passwords and is left out`);
  },
);

it("LS-07 project instructions stay with a SYSTEM.md, after it", async () => {
  await start({ "project/.lathe/SYSTEM.md": "S", "project/AGENTS.md": "Run npm test." });
  await talk.say("hello");
  expect(system()).toBe("S\n\n## Project instructions\n\n# AGENTS.md\n\nRun npm test.");
});

it("EX-12 the user's instructions and those of other agents take effect in every project, the user's own last; equal ones once", async () => {
  await start({
    ".lathe-home/AGENTS.md": "own",
    ".claude/CLAUDE.md": "claude",
    ".codex/AGENTS.md": "codex",
    ".gemini/GEMINI.md": "gemini",
    ".config/opencode/AGENTS.md": "codex",
  });
  await talk.say("hello");
  expect(system()).toContain(
    "## User instructions\n\n# ~/.gemini/GEMINI.md\n\ngemini\n\n# ~/.codex/AGENTS.md\n\ncodex\n\n# ~/.claude/CLAUDE.md\n\nclaude\n\n# ~/.lathe-home/AGENTS.md\n\nown",
  );
});

it("EX-12 files of the project come before AGENTS.md, which is stronger: the nearest .lathe, instructions, Copilot's", async () => {
  await start({
    "project/AGENTS.md": "root",
    "project/.lathe/AGENTS.md": "house",
    "project/.lathe/instructions/style.md": "style",
    "project/.github/copilot-instructions.md": "copilot",
    "project/.github/instructions/sql.instructions.md": "---\napplyTo: '**/*.sql'\n---\nupper case",
  });
  await talk.say("hello");
  const docs = system().slice(system().indexOf("## Project instructions"));
  expect(docs.match(/^(?:# .*|For .*|[a-z ]+)$/gm)).toEqual([
    "# .github/copilot-instructions.md",
    "copilot",
    "# .lathe/AGENTS.md",
    "house",
    "# .lathe/instructions/style.md",
    "style",
    "# AGENTS.md",
    "root",
  ]);
});

it("EX-12 a changed file is in the next session; the present one keeps its bytes, also when it is resumed, until /reload", async () => {
  await start({ ".claude/CLAUDE.md": "first" });
  await talk.say("hello");
  const before = system();
  expect(before).toContain("first");
  await change(".claude/CLAUDE.md", "second");
  await talk.say("again");
  expect(system()).toBe(before);
  const path = talk.talk.open.journal.path!;
  await talk.talk.startNew();
  await talk.say("hello");
  expect(system()).toContain("second");
  await talk.talk.resume(path);
  await talk.say("once more");
  expect(system()).toBe(before);
  await talk.say("/reload");
  await talk.say("now");
  expect(system()).toContain("second");
});

it("a broken file is one warning with its line, and the request goes out", async () => {
  await start({ "project/.github/instructions/a.instructions.md": "---\napplyTo: '**'\n\tx: [\n---\ntext" });
  await talk.say("hello");
  expect(system()).toContain("text");
  expect(talk.warnings).toEqual([expect.stringMatching(/a\.instructions\.md:3: the frontmatter is not valid YAML/)]);
  await rm(join(talk.root, "project/.github"), { recursive: true });
});

it("EX-12 the user's own CLAUDE.md imports from the home folder too, but no keys; a repository's does not leave it", async () => {
  await start({
    ".claude/CLAUDE.md": "@~/notes/style.md @../.ssh/id_rsa @~/.npmrc",
    "notes/style.md": "Two spaces.",
    ".ssh/id_rsa": "SECRET key",
    ".npmrc": "SECRET token",
    "private.md": "SECRET note",
    "project/CLAUDE.md": "@docs/a.md @~/.ssh/id_rsa @../private.md",
    "project/docs/a.md": "Run make.",
  });
  await talk.say("hello");
  expect(JSON.stringify(lastBody())).not.toContain("SECRET");
  expect(system()).toContain("# docs/a.md\n\nRun make.\n\n# CLAUDE.md");
  expect(system()).toContain("# ~/notes/style.md\n\nTwo spaces.\n\n# ~/.claude/CLAUDE.md");
  expect(talk.warnings.join("\n")).toMatch(
    /~\/\.claude\/CLAUDE\.md: it imports files that may hold keys; left out: \.\.\/\.ssh\/id_rsa, ~\/\.npmrc/,
  );
});

const put: Readonly<Record<string, (path: string) => unknown>> = {
  "it is larger than 1 MB; it is left out": (path) => writeFile(path, "a".repeat(2 ** 20 + 1)),
  "with the other instruction files it is larger than 32 KB, so it is cut or left out": (path) =>
    writeFile(path, "words ".repeat(7_000)),
  "it is not text; it is left out": (path) => writeFile(path, Buffer.from([65, 0, 255, 66])),
  "it is a directory; it is left out": (path) => mkdir(path),
  "it is a pipe or device; it is left out": (path) => execFileSync("mkfifo", [path]),
  "it is a link that leads nowhere; it is left out": (path) => symlink("AGENTS.md", path),
  "the link leads outside the repository; it is left out": (path) => symlink(join(path, "../../outside.md"), path),
};
it.each(Object.keys(put))("an AGENTS.md that is not used as it is causes one warning: %s", async (message) => {
  await start({ "outside.md": "outside" });
  await put[message]!(join(talk.root, "project/AGENTS.md"));
  await talk.say("hello");
  expect(talk.warnings.filter((warning) => warning.includes("AGENTS.md"))).toEqual([`AGENTS.md: ${message}.`]);
});
