// Skills: what the model is told about them, how it reads them, and how a user invokes one.

import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { expect, it } from "vitest";
import { skillsOf } from "../src/found/skills/skills.ts";
import { type Project, project } from "./project-kit.ts";

const skill = (name: string, description: string, body = `Body of ${name}.`): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`;
const lastResult = (rig: Project): string => rig.server.requests.at(-1)!.view.messages.at(-1)!.results[0]!.text;

it("EX-08 the prompt lists names and descriptions; the body comes only when it is read, also of 5000 lines", async () => {
  const long = Array.from({ length: 5_000 }, (_, i) => `Step ${i + 1} of a long instruction.`).join("\n");
  await using rig = await project({
    "project/.lathe/skills/deploy/SKILL.md": skill("deploy", "how we\n  ship", long),
    "home/.lathe/skills/notes/SKILL.md": skill("notes", "release notes"),
    "home/.lathe/skills/quiet/SKILL.md":
      "---\nname: quiet\ndescription: q\ndisable-model-invocation: true\n---\nQuiet.",
  });
  await rig.say("ship it", rig.read("skill://deploy"), turn.text("ok"));
  expect(rig.system()).toContain("- deploy: how we ship\n- notes: release notes");
  expect(rig.system()).toContain("skill://<name>");
  for (const hidden of ["Step 1 ", "Body of notes", "quiet"])
    expect(rig.server.requests[0]!.text).not.toContain(hidden);
  expect(lastResult(rig)).toBe(long);
});

it("EX-08 files beside a skill have addresses; nothing outside of its folder does", async () => {
  await using rig = await project({
    "project/.lathe/skills/deploy/SKILL.md": skill("deploy", "ship"),
    "project/.lathe/skills/deploy/scripts/run.sh": "echo run\n",
    "home/secret.txt": "secret",
  });
  await symlink(join(rig.root, "home/secret.txt"), join(rig.cwd, ".lathe/skills/deploy/link.txt"));
  const read = async (address: string): Promise<string> => {
    await rig.say("read", rig.read(address), turn.text("ok"));
    return lastResult(rig);
  };
  expect(await read("skill://deploy/scripts/run.sh")).toContain("echo run");
  expect(await read("skill://deploy/none.md")).toContain("has no file none.md. It has: SKILL.md, link.txt, scripts/.");
  for (const way of ["skill://deploy/../../../../home/secret.txt", "skill://deploy/link.txt"])
    expect(await read(way)).toContain("is outside of the skill deploy");
  expect(await read("skill://depoly")).toContain('There is no skill "depoly". Skills: deploy.');
});

it("keys in the folder of a skill have no address: reading them is asked about as a file", async () => {
  await using rig = await project({
    "project/.lathe/skills/deploy/SKILL.md": skill("deploy", "ship"),
    "project/.lathe/skills/deploy/.env": "TOKEN=s3cret",
  });
  await symlink(".env", join(rig.cwd, ".lathe/skills/deploy/plain.txt"));
  for (const name of [".env", "plain.txt"]) {
    await rig.say("read", rig.read(`skill://deploy/${name}`), turn.text("ok"));
    expect(lastResult(rig)).toContain(`${name} may hold keys or passwords, so it has no skill:// address.`);
  }
});

it("EX-08 a linked folder is one skill, of two with one name the first is used with a warning, filters hide", async () => {
  const files = {
    "project/.lathe/skills/a/SKILL.md": skill("a", "first a"),
    "project/.claude/skills/a/SKILL.md": skill("a", "second a"),
    "project/.claude/skills/b/SKILL.md": skill("b", "of claude"),
    "home/.claude/skills/user-b/SKILL.md": skill("user-b", "of the user"),
    "home/.lathe/skills/tmp-x/SKILL.md": skill("tmp-x", "temporary"),
    "home/extra/c/SKILL.md": skill("c", "custom"),
    "home/extra/deep/er/SKILL.md": skill("too-deep", "not found"),
  };
  const settings = { "skills.customDirectories": ["~/extra", "~/nowhere"], "skills.ignoredSkills": ["tmp-*"] };
  await using rig = await project(files, { settings });
  await symlink(join(rig.cwd, ".claude/skills/b"), join(rig.cwd, ".lathe/skills/b-again"));
  // The folder may have been looked at in the same tick of the file system's clock.
  (await rig.workspace.discovery()).forget();
  const { skills, warnings } = await skillsOf(rig.workspace);
  expect(skills.map(({ name, description, source }) => [name, description, source.providerName])).toEqual([
    ["a", "first a", "Lathe"],
    ["b", "of claude", expect.any(String)],
    ["user-b", "of the user", expect.stringContaining("Claude")],
    ["c", "custom", "custom:user"],
  ]);
  expect(warnings.map(({ path, message }) => `${path}: ${message}`)).toEqual([
    expect.stringMatching(
      /\.claude\/skills\/a\/SKILL\.md: the skill a is not used: .*\.lathe\/skills\/a\/SKILL\.md has/,
    ),
    expect.stringContaining("nowhere: this folder of skills.customDirectories does not exist"),
  ]);
  const only = async (settings: Record<string, unknown>): Promise<string[]> => {
    await using other = await project(files, { settings });
    const { skills: chosen } = await skillsOf(other.workspace);
    return chosen.map(({ name, description }) => `${name}: ${description}`).sort();
  };
  expect(await only({ "skills.includeSkills": ["user-*"] })).toEqual(["user-b: of the user"]);
  expect(await only({ "skills.enableLatheProject": false, "skills.enableLatheUser": false })).toEqual([
    "a: second a",
    "b: of claude",
    "user-b: of the user",
  ]);
  expect(await only({ "skills.enableClaudeProject": false, "skills.ignoredSkills": ["tmp-*"] })).toEqual([
    "a: first a",
    "user-b: of the user",
  ]);
});

it("EX-08 a skill that calls itself by a path has its folder's name, with one warning; one without a plain name is left out", async () => {
  const settings = { "skills.customDirectories": ["~/extra"] };
  await using rig = await project(
    {
      "home/.lathe/skills/sneaky/SKILL.md": skill('"../../etc"', "d"),
      "home/.lathe/skills/my notes/SKILL.md": skill('"<b>"', "d"),
      "home/extra/custom/SKILL.md": skill('".."', "d"),
    },
    { settings },
  );
  const { skills, warnings } = await skillsOf(rig.workspace);
  expect(skills.map(({ name }) => name)).toEqual(["sneaky", "custom"]);
  const { warnings: found } = await (await rig.workspace.discovery()).of("skill");
  expect([...found, ...warnings].map(({ message }) => message).sort()).toEqual([
    '".." is not a valid name: use letters, digits, _, -, . and :. It is called custom, like its folder',
    '"../../etc" is not a valid name: use letters, digits, _, -, . and :. It is called sneaky, like its folder',
    '"<b>" is not a valid name: use letters, digits, _, -, . and :. It is not used',
  ]);
});

it("EX-07 EX-08 /skill:name gives the model a skill with what is to be done, unless such commands are off", async () => {
  const files = { "project/.lathe/skills/deploy/SKILL.md": skill("deploy", "ship") };
  await using rig = await project(files);
  await rig.say("/skill:deploy to staging", turn.text("ok"));
  expect(rig.lastSaid()).toMatch(/<skill name="deploy">[\s\S]*Body of deploy\.\n<\/skill>\n\nto staging$/);
  await using off = await project(files, { settings: { "skills.enableSkillCommands": false } });
  await expect(off.say("/skill:deploy now")).rejects.toThrow("There is no /skill:deploy.");
  await using none = await project(files, { settings: { "skills.enabled": false } });
  await none.say("hello", turn.text("ok"));
  expect(none.system()).not.toContain("deploy");
});
