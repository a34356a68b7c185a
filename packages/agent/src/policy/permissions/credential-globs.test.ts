// Commands that reach keys without naming the file that contains them.

import { describe, expect, it } from "vitest";
import { CallPaths } from "../../contract/paths/call-paths.ts";
import { commandAccess } from "../../tools/builtin/shell/access.ts";
import { LocalEnvironment } from "../../world/env/local.ts";
import { judge } from "./judge.ts";
import { type Rule, readRule } from "./rule.ts";

const PLACES = { roots: ["/srv/project"], userHome: "/home/me", latheHome: "/home/me/.lathe" };

async function decide(command: string, denied: readonly string[] = []): Promise<string> {
  const env = new LocalEnvironment({ cwd: "/srv/project", baseEnv: { HOME: "/home/me" } });
  const paths = new CallPaths(env, new AbortController().signal);
  const access = await commandAccess(command, "/srv/project", { env, paths });
  const rules = denied.map((text) => ({ ...readRule(text), decision: "deny", origin: "test" }) as Rule);
  return judge({ tier: "exec", access }, { mode: "auto-edit", rules, places: PLACES }).decision;
}

/** One level more than are expanded. */
const braces = (last: string) => `{1,{2,{3,{4,{5,{6,{7,{8,{9,${last}}}}}}}}}}`;

describe("a word that may stand for keys", () => {
  it.each([
    "cat /etc/shad?w",
    "cat /etc/sha*",
    "cat /etc/*",
    "cat /*/shadow",
    "cat /etc/{sha,}dow",
    "cat /etc/{sha,x}{dow,y}",
    "cat /etc/shado{w,}",
    "cat /etc/shado[[:alpha:]]",
    "cat /etc/SHADO[w]",
    "cd /etc; cat shad?w",
    "cp /etc/shad?w zz; cat zz",
    'echo "$(</etc/shad?w)"',
    'echo "$(<$f)"',
    "cat ~/.aws/cred*",
    "cat ~/.a*/*",
    "cat ~/.k*/config",
    "cat ~/.s*/my_key",
    "cat ~/.ssh/my*",
    "cat ~/.config/*/hosts.yml",
    "cat ~/.lathe/*",
    "cat ~/.lathe/blobs/*",
    "cat ~/.lathe/sessions/*/*.jsonl",
    "cat ~/.lat*/s*/*/*",
    "grep -r DB_PASS ~/.lathe/blobs",
    "find ~/.lathe/blobs -type f -exec cat {} +",
    "find ~/.lathe/blobs -type f | xargs cat",
    "cp -r ~/.lathe/sessions copy",
    "cat *.env",
    "cat certs/*.key",
    "cat /etc/ssh/*",
    "head -c 9 /dev/s*",
    "head -c 9 /dev/vda",
    "grep -r x ~/.config/git",
    "cat .e*",
    "cat .{env,x}",
    "cat /proc/self/env*",
    "cat /proc/[0-9]*/environ",
    "grep -r . ~/.ssh",
    "grep -r . ~",
    "grep -r . ~/.cargo",
    `cat x${braces("y")}`,
    `rg x -g '${braces(".env")}'`,
    `grep -r --include=${braces(".env")} x .`,
    "grep -R . /etc",
    "grep -d recurse . ~/.ssh",
    "rg . ~/.ssh",
    "rg . ~/.s*",
    "cd ~/.ssh && rg .",
    "diff -r ~/.ssh src",
    "cp -r ~/.ssh copy",
    "mv ~/.aws copy",
    "find ~/.ssh -type f -exec cat {} +",
    "find src ~/.ssh -type f -exec cat {} +",
    "find ~/.ssh -type f | xargs cat",
    "find /etc -name shadow -exec cat {} \\;",
    "find /proc/self/ -name environ -exec cat {} +",
    "find . -name '*env' -exec cat {} +",
    "find . -regex '.*/\\.env' -exec cat {} +",
    "find . -type f | grep '\\.env$' | xargs cat",
    "grep -r --include=.env . .",
    "grep -r '' --include .env .",
    "grep -r '' --include='*env' .",
    "rg '' -g .env -uu",
    "rg '' -uu --type-add 'x:.env' -tx",
    "git grep --no-index '' -- ':(glob).env'",
    "git grep --no-index '' ~/.ssh",
    "git cat-file --batch <<< HEAD:.env.local",
    "git log -L1,3:.env.local",
    "git log -p -- ':(glob).env*'",
    "git log -p -- '*env'",
    "mkdir -p zz/workflows; echo x > zz/workflows/ci.yml; mv zz .github",
    "mkdir -p zz; cp -r zz .github",
    "mv zz .cargo",
  ])("is asked about: %s", async (command) => {
    expect(await decide(command)).toBe("ask");
  });

  it.each([
    "grep -r . .",
    "grep -rn foo src",
    "grep -rn --include='*.ts' foo .",
    "rg foo",
    "rg foo -g '*.ts' -g '!.env'",
    "cat *",
    "cat src/*.ts",
    "cat src/*/*.ts",
    "grep -rn foo ~/notes",
    "cat ~/.ssh/*.pub",
    "cat *.json",
    "cat config/*.yml",
    "cat i18n/en*.key",
    "ls ~/.lathe/sessions",
    "cat ~/.lathe/skills/review/SKILL.md",
    "cat {a,b}.txt",
    "ls ~/.ssh",
    "ls /etc/hosts",
    "cp -r fixtures/a tmp/",
    "mv old new",
    "find . -name '*.ts' -exec grep -l foo {} +",
    "find . -type f -not -name .env -exec grep -l foo {} +",
    "find . -name '*.md' | xargs wc -l",
    "find . -type f | grep test | xargs cat",
    "rg -l foo | xargs cat",
    "git ls-files '*.ts' | xargs grep -n foo",
    "git log -p -- '*.ts'",
    "git diff main...HEAD -- src",
    "git log -L1,3:src/a.ts",
    "find ~ -maxdepth 1",
  ])("needs no question: %s", async (command) => {
    expect(await decide(command)).toBe("allow");
  });
});

describe("a denied file", () => {
  it.each([
    ["cat src/a.ts", "deny"],
    ["cat sr?/a.ts", "deny"],
    ["cat s*/a.ts", "deny"],
    ["cat {src,x}/a.ts", "deny"],
    ["grep -r . src", "deny"],
    ["find src -type f -exec cat {} +", "deny"],
    ["grep -r . .", "ask"],
    ["cat *", "allow"],
    ["cat lib/*.ts", "allow"],
    ["grep -r . lib", "allow"],
    ["cat secre?.txt", "deny"],
    ["cat lib/secre*", "deny"],
  ])("%s: %s", async (command, expected) => {
    expect(await decide(command, ["read(src/**)", "read(secret.txt)"])).toBe(expected);
  });
});
