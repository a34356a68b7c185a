// The combined effect of rules, modes and the analysis of a command.

import { describe, expect, it } from "vitest";
import { CallPaths } from "../../contract/paths/call-paths.ts";
import type { Access } from "../../contract/tool.ts";
import { commandAccess } from "../../tools/builtin/shell/access.ts";
import { LocalEnvironment } from "../../world/env/local.ts";
import { judge, staysInside } from "./judge.ts";
import { type Decision, type Rule, readRule } from "./rule.ts";
import { suggestedRules } from "./suggest.ts";
import type { PermissionMode, Policy } from "./verdict.ts";

const PLACES = { roots: ["/srv/project"], userHome: "/home/me", latheHome: "/home/me/.lathe" };
const PLAN = "/srv/project/.lathe/plans/s1.md";

/** `+rule` allows, `?rule` asks, `-rule` denies. */
function rulesOf(texts: string): Rule[] {
  const decisions: Record<string, Decision> = { "+": "allow", "?": "ask", "-": "deny" };
  return texts
    .split("  ")
    .filter((text) => text !== "")
    .map((text) => {
      const read = readRule(text.slice(1));
      if ("problem" in read) throw new Error(`${text} ${read.problem}`);
      return { ...read, decision: decisions[text[0] ?? ""] as Decision, origin: "test" };
    });
}

async function accessOf(command: string): Promise<Access[]> {
  const env = new LocalEnvironment({ cwd: "/srv/project", baseEnv: { HOME: "/home/me" } });
  return commandAccess(command, "/srv/project", { env, paths: new CallPaths(env, new AbortController().signal) });
}

const policy = (mode: PermissionMode, rules: string, more: Partial<Policy> = {}): Policy => ({
  mode,
  rules: rulesOf(rules),
  places: PLACES,
  planFile: PLAN,
  ...more,
});

describe("commands", () => {
  it.each<[command: string, rules: string, mode: PermissionMode, expected: Decision]>([
    ["git log -3", "+shell(git log *)", "ask", "allow"],
    ["git log", "+shell(git log *)", "ask", "allow"],
    ["git logout", "+shell(git log *)", "ask", "ask"],
    ["git log && npm test", "+shell(git log *)", "ask", "ask"],
    ["git log && npm test", "+shell(git log *)  +shell(npm test *)", "ask", "allow"],
    ["git log $(npm test)", "+shell(git log *)", "ask", "ask"],
    ["npm test", "", "auto-edit", "ask"],
    ["npm test", "+shell(npm test *)  ?shell(npm *)", "auto-edit", "ask"],
    ["npm test", "+shell(npm test *)  -shell(npm *)", "full", "deny"],
    ["npm publish", "?shell(npm publish *)", "full", "ask"],
    ["ls -la", "", "auto-edit", "allow"],
    ["ls -la", "", "ask", "ask"],
    ["ls -la", "-shell(ls *)", "auto-edit", "deny"],
    ["git reset --hard", "+shell(git *)", "auto-edit", "ask"],
    ["git reset --hard", "+shell(git reset --hard *)", "auto-edit", "allow"],
    ["rm -rf dist", "+shell", "auto-edit", "ask"],
    ["rm -rf dist", "", "full", "allow"],
    ["echo hi > a.txt", "", "auto-edit", "allow"],
    ["echo hi > /srv/other/a.txt", "", "auto-edit", "ask"],
    ["echo hi > a.txt", "+shell(echo *)", "ask", "ask"],
    ["echo hi > a.txt", "+shell(echo *)  +write(a.txt)", "ask", "allow"],
    ["echo x > .git/hooks/pre-commit", "+shell(echo *)  +write(**)", "auto-edit", "ask"],
    ["cat .env", "", "auto-edit", "ask"],
    ["cat .env", "+shell(cat *)  +read(.env)", "auto-edit", "ask"],
    ["cat .env", "+shell(cat .env)  +read(.env)", "auto-edit", "allow"],
    ["cat ~/.ssh/id_rsa", "+shell(cat ~/.ssh/id_rsa)  +read(~/.ssh/id_rsa)", "auto-edit", "allow"],
    ["cat ~/.ssh/id_rsa", "+shell(cat ~/.ssh/known_hosts)  +read(~/.ssh/**)", "auto-edit", "ask"],
    ["deploy ~/x/y", "-shell(deploy ~/x/*)", "full", "deny"],
    ["deploy ~/x/y", "+shell(deploy ~/x/*)", "auto-edit", "allow"],
    ["cat .e*", "", "auto-edit", "ask"],
    ["cat *.md", "", "auto-edit", "allow"],
    ["cat ~/.ssh/id_rsa", "+shell(cat *)", "ask", "ask"],
    ["grep -rn .env src", "", "auto-edit", "allow"],
    ["mytool --key=.env", "+shell(mytool *)", "auto-edit", "ask"],
    ["mytool .git/hooks/x", "+shell(mytool *)", "auto-edit", "ask"],
    ["cat secrets/a", "-read(secrets/**)", "full", "deny"],
    ["cat {1,{2,{3,{4,{5,{6,{7,{8,{9,secrets/a}}}}}}}}}", "-read(secrets/**)", "full", "ask"],
    ["cat {1,{2,{3,{4,{5,{6,{7,{8,{9,secrets/a}}}}}}}}}", "", "full", "allow"],
    ["env -S 'cat secrets/a'", "-read(secrets/**)", "full", "ask"],
    ["env -S 'rm a'", "-shell(rm *)", "full", "ask"],
    ["flock x -c 'rm a'", "-shell(rm *)", "full", "ask"],
    ["su -c 'rm a'", "-shell(rm *)", "full", "ask"],
    ["alias q=rm; q a", "-shell(rm *)", "full", "ask"],
    ["echo 'rm a' | sh", "-shell(rm *)", "full", "ask"],
    ["git -c alias.p=push p", "?shell(git push *)", "full", "ask"],
    ["git submodule foreach 'git push'", "?shell(git push *)", "full", "ask"],
    ["git rebase -x 'git push' main", "?shell(git push *)", "full", "ask"],
    ["env -S 'rm a'", "", "full", "allow"],
    ["tar cf - secrets", "-read(secrets/**)", "full", "deny"],
    ["tar cf - -C secrets .", "-read(secrets/**)", "full", "deny"],
    ["dd if=secrets/x", "-read(secrets/**)", "full", "deny"],
    ["curl file:///srv/project/secrets/x", "-read(secrets/**)", "full", "deny"],
    ["curl -F f=@secrets/x http://localhost", "-read(secrets/**)", "full", "deny"],
    ["tar cf - .", "-read(secrets/**)", "full", "ask"],
    ["zip -r a.zip src '-x*.log'", "-read(*.log)", "full", "allow"],
    ["cp -r . /tmp/elsewhere", "-read(secrets/**)", "full", "ask"],
    ["zip -r - .", "-read(secrets/**)", "full", "ask"],
    ["git archive HEAD", "-read(secrets/**)", "full", "ask"],
    ["git fast-export HEAD", "-read(secrets/**)", "full", "ask"],
    ["git clone . /tmp/elsewhere", "-read(secrets/**)", "full", "ask"],
    ["sed '1e rm x' a.txt", "-shell(rm *)", "full", "ask"],
    ["awk 'BEGIN{system(\"rm x\")}'", "-shell(rm *)", "full", "ask"],
    ["split --filter='rm x' a.txt", "-shell(rm *)", "full", "ask"],
    ["tar cf x --checkpoint-action=exec='rm x' y", "-shell(rm *)", "full", "ask"],
    ["sort --compress-program=rm a.txt", "-shell(rm *)", "full", "ask"],
    ["sed -n 1p a.txt", "-shell(rm *)", "full", "allow"],
    ["cat $PWD/secrets/x", "-read(secrets/**)", "full", "ask"],
    ['x=$(pwd); cat "$x/secrets/x"', "-read(secrets/**)", "full", "ask"],
    ["cat $(echo secrets/x)", "-read(secrets/**)", "full", "ask"],
    ["echo secrets/x | xargs cat", "-read(secrets/**)", "full", "ask"],
    ["curl -s file://$PWD/secrets/x", "-read(secrets/**)", "full", "ask"],
    ["cp -r $PWD /tmp/elsewhere", "-read(secrets/**)", "full", "ask"],
    ["git unpack-file HEAD:secrets/x", "-read(secrets/**)", "full", "ask"],
    ["git mv secrets zz", "-read(secrets/**)", "full", "ask"],
    ["cat $PWD/x", "", "full", "allow"],
    ["/usr/lib/git-core/git-push origin", "?shell(git push *)", "full", "ask"],
    ["git send-pack host:repo", "?shell(git push *)", "full", "ask"],
    ["git config alias.p push", "?shell(git push *)", "full", "ask"],
    ["git p origin", "?shell(git push *)", "full", "ask"],
    ["git for-each-repo --config=a.b push origin", "?shell(git push *)", "full", "ask"],
    ["git subtree push", "?shell(git push *)", "full", "ask"],
    ["git fetch origin", "?shell(git push *)", "full", "allow"],
    ["git p origin", "", "full", "allow"],
    ["npm test", "-read(secrets/**)", "full", "allow"],
    ["cat src/gen/a", "-write(src/gen/**)", "full", "allow"],
    ["touch src/gen/a", "-write(src/gen/**)", "full", "deny"],
    ["ls", "", "read-only", "allow"],
    ["npm test", "+shell(npm test *)", "read-only", "deny"],
    ["git log", "", "plan", "allow"],
    ["npm test", "+shell", "plan", "deny"],
    ["touch a", "", "plan", "deny"],
    ["cat .env", "", "plan", "ask"],
    ["ls", "?shell(ls *)", "plan", "ask"],
    ["if then ((", "+shell", "auto-edit", "ask"],
  ])("LS-10 %s with %s in %s: %s", async (command, rules, mode, expected) => {
    const verdict = judge({ tier: "exec", access: await accessOf(command) }, policy(mode, rules));
    expect(verdict.decision).toBe(expected);
    for (const part of verdict.parts) expect(part.reason).not.toBe("");
  });

  it("in the sandbox need no question, unless a rule or a key file does, or they leave it", async () => {
    const inBox = async (command: string, rules = "", mode: PermissionMode = "auto-edit", outside = false) => {
      const access = (await accessOf(command)).map((item) =>
        item.kind === "exec" && outside ? { ...item, outside: true as const } : item,
      );
      return judge({ tier: "exec", access }, policy(mode, rules, { isSandboxed: true })).decision;
    };
    expect(await inBox("npm test && rm -rf dist")).toBe("allow");
    expect(await inBox("npm test", "?shell(npm *)")).toBe("ask");
    expect(await inBox("npm test", "-shell(npm *)")).toBe("deny");
    expect(await inBox("cat .env")).toBe("ask");
    expect(await inBox("npm test", "+shell(npm *)", "auto-edit", true)).toBe("ask");
    expect(await inBox("npm test", "", "ask")).toBe("ask");
  });

  it.each(["chmod u+s a", "chmod 4755 a", "chmod u+x,g+s a", "install -m 02755 a b", "install -Dm4755 a b"])(
    "%s leaves a file that runs as its owner: a question, in the sandbox too",
    async (command) => {
      const access = await accessOf(command);
      const said = (rules: string, isSandboxed: boolean) =>
        judge({ tier: "exec", access }, policy("auto-edit", rules, { isSandboxed })).decision;
      expect([said("", true), said("+shell(chmod *)  +shell(install *)", false)]).toEqual(["ask", "ask"]);
      expect(said(`+shell(${command})`, true)).toBe("allow");
    },
  );
});

describe("files, hosts and tools", () => {
  const write = (path: string): Access => ({ kind: "write", path });
  const read = (path: string): Access => ({ kind: "read", path });
  const host = (name: string): Access => ({ kind: "network", host: name });

  it.each<[what: Access, rules: string, mode: PermissionMode, expected: Decision]>([
    [write("/srv/project/src/a.ts"), "+write(src/**)", "ask", "allow"],
    [write("/srv/project/src/a.ts"), "+write(src)", "ask", "allow"],
    [write("/srv/project/srcx/a.ts"), "+write(src/**)", "ask", "ask"],
    [write("/srv/project/src/a.ts"), "-write(*.ts)", "full", "deny"],
    [write("/srv/project/src/A.TS"), "-write(*.ts)", "full", "deny"],
    [write("/srv/other/a.ts"), "-write(*.ts)", "full", "deny"],
    [write("/srv/other/a.md"), "+write(*.md)", "auto-edit", "ask"],
    [write("/srv/other/a.md"), "+write(/srv/other/**)", "auto-edit", "allow"],
    [write("/home/me/notes/a"), "+write(~/notes/**)", "auto-edit", "allow"],
    [write("/srv/project/.env"), "+write(**)", "auto-edit", "ask"],
    [write("/srv/project/.env"), "+write(.env)", "auto-edit", "allow"],
    [write("/srv/project/.git/hooks/x"), "+write(.git/hooks/**)", "auto-edit", "allow"],
    [write("/srv/project/.github/workflows/ci.yml"), "", "auto-edit", "ask"],
    [write("/srv/project/src/a.ts"), "+write(src/**)", "read-only", "deny"],
    [write(PLAN), "", "plan", "allow"],
    [write("/srv/project/.lathe/plans/other.md"), "", "plan", "deny"],
    [write("/srv/project/.lathe/config.yml"), "", "auto-edit", "ask"],
    [read("/srv/project/.env"), "+read(**)", "auto-edit", "ask"],
    [read("/srv/project/.env"), "+read(.env)", "auto-edit", "allow"],
    [read("/srv/project/a"), "-read(a)", "full", "deny"],
    [read("/srv/project/a"), "?read(a)", "full", "ask"],
    [host("example.com"), "+network(example.com)", "auto-edit", "allow"],
    [host("evil.example.com"), "+network(example.com)", "auto-edit", "ask"],
    [host("api.example.com"), "+network(*.example.com)", "auto-edit", "allow"],
    [host("notexample.com"), "+network(*.example.com)", "auto-edit", "ask"],
    [host("EXAMPLE.com"), "-network(example.com)", "full", "deny"],
  ])("LS-10 %o with %s in %s: %s", (item, rules, mode, expected) => {
    const tier = item.kind as "read" | "write" | "network";
    expect(judge({ tier, access: [item] }, policy(mode, rules)).decision).toBe(expected);
  });

  it("a rule about every file does not name a project that lies among files that run later", () => {
    const roots = ["/home/me/.config/editor"];
    const access = [write("/home/me/.config/editor/init.lua")];
    const places = { ...PLACES, roots };
    expect(judge({ tier: "write", access }, policy("auto-edit", "+write(**)", { places })).decision).toBe("ask");
    expect(judge({ tier: "write", access }, policy("auto-edit", "+write(init.lua)", { places })).decision).toBe(
      "allow",
    );
  });

  it.each([
    ["shell(npm test *)", "package.json"],
    ["shell(pnpm run build *)", "packages/one/package.json"],
    ["shell(make *)", "Makefile"],
    ["shell(make test *)", "rules.mk"],
    ["shell(just check *)", "justfile"],
  ])("once %s is remembered, an edit of %s is a question that names the rule", (text, file) => {
    const [rule] = rulesOf(`+${text}`);
    const remembered = { ...(rule as Rule), origin: "remembered", insideOnly: true as const };
    const call = { tier: "write" as const, access: [write(`/srv/project/${file}`)] };
    const said = (...rules: Rule[]) => judge(call, { ...policy("auto-edit", ""), rules });
    expect(said().decision).toBe("allow");
    expect(said(remembered).reason).toBe(`You allowed ${text}, and /srv/project/${file} defines what it runs.`);
    expect(said(remembered, ...rulesOf(`+write(./${file})`)).decision).toBe("allow");
    expect(staysInside(call, PLACES, [remembered])).toBe(false);
  });

  it("a remembered command that runs nothing of the file, and a rule of the settings, ask no more", () => {
    const call = { tier: "write" as const, access: [write("/srv/project/package.json")] };
    const [listing] = rulesOf("+shell(npm ls *)");
    const rules = [{ ...(listing as Rule), insideOnly: true as const }, ...rulesOf("+shell(npm test *)")];
    expect(judge(call, { ...policy("auto-edit", ""), rules }).decision).toBe("allow");
  });

  it("LS-10 a rule may name a tool, declared or not; a pattern covers nothing that is not declared", () => {
    const call = { tool: "deploy", tier: "exec", access: undefined } as const;
    const said = (rules: string) => judge(call, policy("auto-edit", rules)).decision;
    expect([said("+deploy"), said("+exec"), said("-deploy"), said("+deploy(x)"), said("+shell")]).toEqual([
      "allow",
      "allow",
      "deny",
      "ask",
      "ask",
    ]);
  });

  it("a child agent needs no question outside mode ask: its own calls are judged", () => {
    const access: Access[] = [{ kind: "exec", command: "look around", cwd: "/srv/project", isAgent: true }];
    const said = (mode: PermissionMode, rules = "") =>
      judge({ tool: "spawn_agent", tier: "exec", access }, policy(mode, rules)).decision;
    expect([said("auto-edit"), said("plan"), said("ask"), said("full", "-spawn_agent")]).toEqual([
      "allow",
      "allow",
      "ask",
      "deny",
    ]);
  });
});

describe("what is offered to be remembered", () => {
  it.each([
    ["npm test -- --watch=false", ["shell(npm test *)"]],
    ["npm run build && npm test", ["shell(npm run build *)", "shell(npm test *)"]],
    ["git push origin main", ["shell(git push *)"]],
    ["pytest -q tests/a.py", ["shell(pytest *)"]],
    ["python3 -m pytest -q", ["shell(python3 -m pytest *)"]],
    ["node scripts/gen.js", ["shell(node scripts/gen.js *)"]],
    ["cargo build --release", ["shell(cargo build *)"]],
    ["node --version", ["shell(node --version)"]],
    ["rm -rf dist", undefined],
    ["node -e 'x'", undefined],
    ["python3.12 run.py", ["shell(python3.12 run.py *)"]],
    ["python3.12 -c 'x'", undefined],
    ["nodejs -e 'x'", undefined],
    ["perl5.36 -e 'x'", undefined],
    ["pypy3 -c 'x'", undefined],
    ['bash -c "$x"', undefined],
    ["git --exec-path=/x status", undefined],
    ["sudo npm test", undefined],
    ["FOO=1 npm test", undefined],
  ])("%s: %j", async (command, expected) => {
    const { parts } = judge({ tier: "exec", access: await accessOf(command) }, policy("ask", ""));
    expect(parts.some(({ decision }) => decision === "ask")).toBe(true);
    expect(suggestedRules(await accessOf(command), PLACES)).toEqual(expected);
  });

  it("a folder called ~ is not the home, and a file at the top is not one of that name further down", () => {
    const suggested = (path: string) => suggestedRules([{ kind: "write", path }], PLACES);
    expect(suggested("/srv/project/~/a.txt")).toEqual(["write(./~/**)"]);
    expect(suggested("/srv/project/~")).toEqual(["write(./~)"]);
    expect(suggested("/srv/project/a.txt")).toEqual(["write(./a.txt)"]);
    expect(suggested("/srv/project/src/a.txt")).toEqual(["write(src/**)"]);
    const said = (path: string) =>
      judge({ tool: "edit", tier: "write", access: [{ kind: "write", path }] }, policy("ask", "+write(./a.txt)"))
        .decision;
    expect([said("/srv/project/a.txt"), said("/srv/project/src/a.txt")]).toEqual(["allow", "ask"]);
  });

  it("a command that leaves the sandbox is not covered by an answer about the tool", async () => {
    const access = (await accessOf("npm test")).map((item) =>
      item.kind === "exec" ? { ...item, outside: true as const } : item,
    );
    expect(staysInside({ tier: "exec", access }, PLACES)).toBe(false);
  });

  it("a danger, a doubt and a key file are not covered by an answer about the tool", async () => {
    const inside = async (command: string) => staysInside({ tier: "exec", access: await accessOf(command) }, PLACES);
    expect(await inside("npm test")).toBe(true);
    for (const command of ["rm -rf dist", "$x y", "cat .env", "echo x > /etc/hosts"])
      expect([command, await inside(command)]).toEqual([command, false]);
  });
});

describe("tools of an MCP server, which do not say what they touch", () => {
  it.each<[tool: string, rules: string, mode: PermissionMode, expected: Decision]>([
    ["mcp__db__query", "", "auto-edit", "ask"],
    ["mcp__db__query", "+mcp__db__*", "ask", "allow"],
    ["mcp__dbx__query", "+mcp__db__*", "auto-edit", "ask"],
    ["mcp__db__query", "+mcp__db", "auto-edit", "allow"],
    ["mcp__db__drop", "+mcp__db__*  -mcp__db__drop", "full", "deny"],
    ["mcp__db__drop", "+mcp__db__*  ?mcp__db__dr*", "full", "ask"],
    ["mcp__db__query", "+mcp__db__*", "plan", "deny"],
  ])("%s under %s in mode %s: %s", (tool, rules, mode, expected) => {
    expect(judge({ tool, tier: "exec", access: undefined }, policy(mode, rules)).decision).toBe(expected);
  });

  it("can be allowed for good as a whole only", () => {
    expect(suggestedRules([{ kind: "undeclared", tier: "exec" }], PLACES, "mcp__db__query")).toEqual([
      "mcp__db__query",
    ]);
    expect(suggestedRules([{ kind: "undeclared", tier: "exec" }], PLACES)).toBeUndefined();
  });

  it.each(["shell", "write", "network", "Bash", "edit", "mcp__db", "not a name"])(
    "is never allowed for good by the name %s, which would allow more than this tool",
    (name) => {
      expect(suggestedRules([{ kind: "undeclared", tier: "exec" }], PLACES, name)).toBeUndefined();
    },
  );

  it("is not allowed as a whole by a call that says some of what it touches", () => {
    const items = [{ kind: "undeclared", tier: "exec" } as const, { kind: "write", path: "/etc/passwd" } as const];
    expect(suggestedRules(items, PLACES, "mcp__db__query")).toBeUndefined();
  });
});
