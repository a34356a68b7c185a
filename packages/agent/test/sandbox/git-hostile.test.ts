// A confined command prepares a repository in every way we know so that git runs a program later. Then the user runs
// git outside: nothing that the command prepared may run. The same attacks without the sandbox show that each of them
// works.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CAN_CONFINE, type Cell, makeCell, NEEDS } from "./cell.ts";

const IDENTITY = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@b", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@b" };
const GIT_ENV = { ...process.env, ...IDENTITY, GIT_CONFIG_GLOBAL: "/dev/null", GIT_EDITOR: "true", LC_ALL: "C" };

/** A repository with a submodule, a linked work tree and another repository inside. */
const MAKE = `set -e
git init -q -b main "$1"; cd "$1"; echo 1 > a; mkdir src docs; echo 1 > src/b; echo 1 > docs/c; git add .; git commit -qm one
git config extensions.worktreeConfig true; git config include.path ../own.inc; git config filter.f.clean ./tools/clean.sh
mkdir tools; : > own.inc; printf '#!/bin/sh\\ncat\\n' > tools/clean.sh; chmod +x tools/clean.sh; echo '*.f filter=f' > .gitattributes; echo 1 > x.f
git add .; git commit -qm named
git -c protocol.file.allow=always submodule --quiet add "$2" mod; git commit -qm module
git worktree add -q tree; echo tree >> .git/info/exclude
git init -q -b main vendor; git -C vendor commit -q --allow-empty -m vendor; echo vendor >> .git/info/exclude`;

/** $P: a command for a shell that leaves a witness outside; $V: a file outside that git must not write to. */
const HELPERS = `
setting() { printf '[core]\\n\\tfsmonitor = "%s; false"\\n' "$P" >> "$1"; }
hook() { mkdir -p "$1"; for h in pre-commit post-index-change reference-transaction; do printf '#!/bin/sh\\n%s\\n' "$P" > "$1/$h"; chmod +x "$1/$h"; done; }
evil() { cp -r "\${2:-.git}" "$1"; rm -f "$1/commondir"; sed -i /worktree/d "$1/config"; setting "$1/config"; hook "$1/hooks"; }
nested() { git init -q -b main "$1"; (cd "$1" && echo 1 > f && git add f && git commit -qm x); git update-index --add --cacheinfo "160000,$(git -C "$1" rev-parse HEAD),$1"; }
`;

const ATTACKS: readonly (readonly [name: string, script: string])[] = [
  ["a program in the configuration", "setting .git/config"],
  ["git config", 'git config core.fsmonitor "$P; false"'],
  ["configuration put in its place", "cp .git/config new; setting new; mv -f new .git/config"],
  ["a file that the configuration includes", "setting more$N; git config include.path ../more$N"],
  ["a file that the user's configuration includes", "setting own.inc"],
  ["one put in its place", "setting new$N; mv -f new$N own.inc"],
  [
    "a program that the user's configuration names",
    'printf "#!/bin/sh\\n%s\\ncat\\n" "$P" > tools/clean.sh; echo 2 >> x.f',
  ],
  ["a hook", "hook .git/hooks"],
  ["another folder for hooks", 'hook kit$N; git config core.hooksPath "$PWD/kit$N"'],
  ["a folder for hooks put in its place", "mv .git/hooks .git/old; hook .git/hooks"],
  ["configuration of the work tree", "setting .git/config.worktree"],
  ["another common folder", 'evil ev$N; echo "$PWD/ev$N" > .git/commondir'],
  ["another common folder put in place by a rename", "evil ev$N; echo ../ev$N > c; mv -f c .git/commondir"],
  ["another repository in its place", "cp -r .git new; setting new/config; mv .git old; mv new .git"],
  ["configuration of a submodule", "setting .git/modules/mod/config"],
  ["hooks of a submodule", "hook .git/modules/mod/hooks"],
  [
    "another common folder for a submodule",
    'evil ev$N .git/modules/mod; echo "$PWD/ev$N" > .git/modules/mod/commondir',
  ],
  ["another repository for a submodule", 'evil ev$N .git/modules/mod; echo "gitdir: $PWD/ev$N" > mod/.git'],
  [
    "another repository in the place of a submodule's",
    "evil ev$N .git/modules/mod; mv .git/modules/mod o; mv ev$N .git/modules/mod",
  ],
  ["another common folder for a linked work tree", 'evil ev$N; echo "$PWD/ev$N" > .git/worktrees/tree/commondir'],
  ["configuration of a linked work tree", "setting .git/worktrees/tree/config.worktree"],
  ["another repository for a linked work tree", 'evil ev$N; echo "gitdir: $PWD/ev$N" > tree/.git'],
  ["configuration of a repository inside", "setting vendor/.git/config"],
  ["hooks of a repository inside", "hook vendor/.git/hooks"],
  ["another repository in the place of one inside", "evil ev$N vendor/.git; rm -rf vendor/.git; mv ev$N vendor/.git"],
  ["a new repository that counts as a submodule", "nested sub$N; setting sub$N/.git/config"],
  [
    "one whose configuration includes a file",
    "nested sub$N; setting more$N; git -C sub$N config include.path ../../more$N",
  ],
  ["one with hooks", "nested sub$N; hook sub$N/.git/hooks"],
  ["one with a link to hooks", "nested sub$N; hook kit$N; rm -rf sub$N/.git/hooks; ln -s ../../kit$N sub$N/.git/hooks"],
  ["one with another common folder", 'nested sub$N; evil ev$N sub$N/.git; echo "$PWD/ev$N" > sub$N/.git/commondir'],
  ["one behind a file", 'nested sub$N; evil ev$N sub$N/.git; rm -rf sub$N/.git; echo "gitdir: ../ev$N" > sub$N/.git'],
  ["one behind a link", "nested sub$N; evil ev$N sub$N/.git; rm -rf sub$N/.git; ln -s ../ev$N sub$N/.git"],
  [
    "one in a folder of the repository",
    'nested sub$N; evil .git/ev$N sub$N/.git; rm -rf sub$N/.git; echo "gitdir: ../.git/ev$N" > sub$N/.git',
  ],
  [
    "a new submodule's folder",
    'nested sub$N; mkdir -p .git/modules && evil .git/modules/sub$N sub$N/.git && rm -rf sub$N/.git && echo "gitdir: ../.git/modules/sub$N" > sub$N/.git',
  ],
  ["one in a folder whose name is no text", 'n=$(printf \'s\\377b\'); nested "$n"; setting "$n/.git/config"'],
  ["one deep inside", "mkdir -p x/y/z; nested x/y/z/sub$N; setting x/y/z/sub$N/.git/config"],
  [
    "a bare repository among the sources",
    'git clone -q --bare . b; cp -r b/* src/; setting src/config; git config -f src/config core.bare false; git config -f src/config core.worktree "$PWD"',
  ],
  ["one that is only a pointer", 'evil ev$N; cp .git/HEAD docs; echo "$PWD/ev$N" > docs/commondir'],
  [
    "steps of a rebase",
    'mkdir .git/rebase-merge; cd .git/rebase-merge; git rev-parse HEAD | tee onto orig-head > /dev/null; echo refs/heads/main > head-name; printf "\\texec %s\\n" "$P" > git-rebase-todo; : > done; : > interactive; echo 0 > msgnum; echo 1 > end',
  ],
];

/** Git follows these links when it writes. */
const LINKS: readonly (readonly [name: string, script: string])[] = [
  ["the index is a link", 'rm .git/index; ln -s "$V.d/new" .git/index'],
  ["the log of HEAD is a link", 'rm .git/logs/HEAD; ln -s "$V" .git/logs/HEAD'],
  ["the message is a link", 'rm -f .git/COMMIT_EDITMSG; ln -s "$V" .git/COMMIT_EDITMSG'],
  ["the tags are behind a link", 'rm -r .git/refs/tags; ln -s "$V.d" .git/refs/tags'],
];

/** What a user and an editor do afterwards: in the repository, and in every folder that may contain one. */
const PLAIN_GIT = `cd "$1"; git status; git diff; git log -p -1; git stash; git stash pop; echo 2 >> a; git add a
git -c core.editor=true commit -m two; git -c core.editor=true commit --amend; git tag t; git switch -c other; git rebase --continue; git submodule status
for d in src docs mod tree vendor sub* s?b* x/y/z/sub*; do cd "$1/$d" && { git status --porcelain=2; git commit --allow-empty -m x; git branch "b$RANDOM"; }; done; true`;

/** Which attacks are also tried without the sandbox. */
const EVERY = process.env["LATHE_LONG"] ? 1 : 13;

describe.skipIf(!CAN_CONFINE)(`git outside after a hostile command in the sandbox ${NEEDS}`, () => {
  let cell: Cell;
  let template: string;
  const told: string[] = [];
  const attacks = [...ATTACKS, ...LINKS];
  const witness = (kind: string, index: number): string => join(cell.outside, `${kind}-${index}`);
  const bash = (script: string, ...args: string[]): void => {
    execFileSync("bash", ["-c", script, "bash", ...args], { env: GIT_ENV, stdio: "ignore" });
  };
  const attack = (kind: string, index: number, place: string): string => {
    const out = witness(kind, index);
    return `(cd "${place}"; N=${index}; P="touch ${out}"; V="${out}.victim"; ${attacks[index]![1]}) 2>/dev/null`;
  };
  const hasEffect = (kind: string, index: number): boolean => {
    const out = witness(kind, index);
    const isUntouched = readFileSync(`${out}.victim`, "utf8") === "kept" && readdirSync(`${out}.victim.d`).length === 0;
    return existsSync(out) || !isUntouched;
  };
  const makeVictims = (kind: string): void => {
    for (const index of attacks.keys()) {
      mkdirSync(`${witness(kind, index)}.victim.d`);
      writeFileSync(`${witness(kind, index)}.victim`, "kept");
    }
  };
  const copyTo = (place: string): void =>
    bash(
      'cp -a "$1" "$2"; echo "gitdir: $2/.git/worktrees/tree" > "$2/tree/.git"; echo "$2/tree/.git" > "$2/.git/worktrees/tree/gitdir"',
      template,
      place,
    );

  beforeAll(async () => {
    cell = makeCell({ onLeftover: (message) => told.push(message) });
    template = join(cell.home, "template");
    const library = join(cell.home, "library");
    bash('git init -q -b main "$1"; cd "$1"; git commit -q --allow-empty -m one', library);
    bash(MAKE, template, library);
    rmSync(cell.root, { recursive: true });
    copyTo(cell.root);
    makeVictims("confined");
    const sequence = 'mkdir .git/sequencer; printf "[options]\\n\\tstrategy = /evil\\n" > .git/sequencer/opts\n';
    const script =
      sequence + HELPERS + [...attacks.keys()].map((index) => attack("confined", index, cell.root)).join("\n");
    await cell.env.execCommand(script, 120_000, { env: { ...IDENTITY, GIT_CONFIG_GLOBAL: "/dev/null" } });
    await cell.env.cleanup();
    bash(PLAIN_GIT, cell.root);
  });
  afterAll(() => cell?.dispose());

  it.each([...attacks.entries()].map(([index, [name]]) => [name, index] as const))(
    "G starts and changes nothing: %s",
    (_, index) => expect(hasEffect("confined", index)).toBe(false),
  );

  it("G a cherry-pick that would start a program as its strategy loses its options", () => {
    expect(existsSync(join(cell.root, ".git/sequencer/opts"))).toBe(false);
    expect(told.join("\n")).toContain("The unfinished cherry-pick or revert");
  });

  it("G says what was made harmless, and leaves nothing of its own in the repository", () => {
    expect(told.join("\n")).toMatch(/sub\d+\/\.git is now \S+sub\d+\/\.git\.untrusted/);
    for (const name of ["commondir", "config.worktree"])
      expect(readdirSync(join(cell.root, ".git"))).not.toContain(name);
  });

  it("each of these attacks works without the sandbox", () => {
    makeVictims("plain");
    const without = [...attacks.keys()].filter((index) => {
      if (index % EVERY > 0) return false;
      const place = join(cell.home, `plain-${index}`);
      copyTo(place);
      bash(`${HELPERS}${attack("plain", index, place)}; true`);
      bash(`${PLAIN_GIT}; rm -rf "$1"`, place);
      return !hasEffect("plain", index);
    });
    expect(without.map((index) => attacks[index]![0])).toEqual([]);
  }, 600_000);
});
