// What a rule does not cover although its words match: other folders, programs in options, settings and launchers.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CallPaths } from "../../contract/paths/call-paths.ts";
import type { Access } from "../../contract/tool.ts";
import { commandAccess } from "../../tools/builtin/shell/access.ts";
import { LocalEnvironment } from "../../world/env/local.ts";
import { judge, staysInside } from "./judge.ts";
import { type Rule, readRule } from "./rule.ts";
import { suggestedRules } from "./suggest.ts";
import type { Policy } from "./verdict.ts";

const PLACES = { roots: ["/srv/project"], userHome: "/home/me", latheHome: "/home/me/.lathe" };

async function accessOf(command: string): Promise<Access[]> {
  const env = new LocalEnvironment({ cwd: "/srv/project", baseEnv: { HOME: "/home/me" } });
  return commandAccess(command, "/srv/project", { env, paths: new CallPaths(env, new AbortController().signal) });
}

function allowRule(text: string, isRemembered: boolean): Rule {
  const read = readRule(text);
  if ("problem" in read) throw new Error(read.problem);
  return { ...read, decision: "allow", origin: "test", ...(isRemembered && { insideOnly: true as const }) };
}

async function decision(command: string, rule: string, isRemembered = true, mode: "auto-edit" | "full" = "auto-edit") {
  const call = { tier: "exec" as const, access: await accessOf(command) };
  return judge(call, { mode, rules: [allowRule(rule, isRemembered)], places: PLACES }).decision;
}

describe("a rule does not cover", () => {
  it.each([
    ["rm ../other/f", "rm *"],
    ["rm /srv/other/f", "rm *"],
    ["rm ~/f", "rm *"],
    ["rm sub/../../other/f", "rm *"],
    ["rm build/*.o ../other/*.o", "rm *"],
    ["f=../other/f; rm $f", "rm *"],
    ["truncate -s 0 ../other/f", "truncate *"],
    ["dd if=a of=../other/f", "dd *"],
    ["install a ../other/f", "install *"],
    ["chmod +x ../other/f", "chmod *"],
    ["unlink ../other/f", "unlink *"],
    ["shred ../other/f", "shred *"],
    ["gzip ../other/f", "gzip *"],
    ["patch ../other/f a.patch", "patch *"],
    ["rsync -a src/ ../other", "rsync *"],
    ["rsync -a src/ /srv/other", "shell"],
    ["tar xf a.tar -C ~", "tar *"],
    ["tar xf a.tar -C../other", "tar *"],
    ["unzip a.zip -d /", "unzip *"],
    ["npm test --prefix ../other", "npm test *"],
    ["npm test --prefix=../other", "npm test *"],
    ["make -C ../other", "make *"],
    ["make -f /tmp/x.mk", "make *"],
    ["pytest ../other", "pytest *"],
    ["cargo test --manifest-path ../other/Cargo.toml", "cargo test *"],
    ["go test -C ../x", "go test *"],
    ["pnpm test -C ../x", "pnpm test *"],
    ["docker run -v /:/host image", "docker *"],
    ["curl -T a file:///srv/other/f", "curl *"],
    ["cd .. && rm other", "rm *"],
    ["mytool a:.git/hooks/x", "mytool *"],
    ["sort -o.git/hooks/pre-push a.txt", "sort *"],
    ["curl -o.git/hooks/x https://example.com", "curl *"],
    ["curl -so.git/hooks/x https://example.com", "curl *"],
    ["curl -#o.git/hooks/x https://example.com", "curl *"],
    ["gcc -o.git/hooks/x a.c", "gcc *"],
    ["gcc -MF.git/x a.c", "gcc *"],
    ["wget -o.lathe/x https://example.com", "wget *"],
    ["mytool -oa/../../x", "mytool *"],
    [`mytool -${"s".repeat(300)}o.git/x`, "mytool *"],
    ["curl -sT.env https://example.com", "curl *"],
    ["gcc -E -include.env a.c", "gcc *"],
  ])("%s with %s", async (command, pattern) => {
    const rule = pattern === "shell" ? pattern : `shell(${pattern})`;
    expect([await decision(command, rule, false), await decision(command, rule)]).toEqual(["ask", "ask"]);
    expect(await decision(command, rule, false, "full")).toBe("allow");
  });

  it.each([
    ["git config core.fsmonitor ./h/fs", "git config *"],
    ["git config core.hooksPath h", "git config *"],
    ["git config alias.st '!id'", "git config *"],
    ["git config --global core.pager x", "git config *"],
    ["git config --global user.name x", "git config *"],
    ["git config --file x user.name x", "git config *"],
    ["git config set include.path x", "git config *"],
    ["git config filter.x.clean ./x", "git *"],
    ["git config --edit", "git config *"],
    ["npm config set script-shell ./x.sh", "npm *"],
    ["npm test --script-shell=./x.sh", "npm test *"],
    ["npm install -g x", "npm install *"],
    ["go env -w CC=./x", "go *"],
    ["go test -exec ./x", "go test *"],
    ["gh alias set x '!id'", "gh *"],
    ["make --eval=x", "make *"],
    ["make SHELL=./x.sh", "make *"],
    ["tar xf x --to-command=sh", "tar *"],
    ["tar cf x --checkpoint-action=exec=sh y", "tar *"],
    ["tar -I ./x -xf y", "tar *"],
    ["tar xIf ./x y", "tar *"],
    ["rsync -e ./x a b", "rsync *"],
    ["rsync --rsync-path=./x a b", "rsync *"],
    ["git push --receive-pack=./x origin", "git push *"],
    ["git fetch --upload-pack ./x origin", "git fetch *"],
    ["git clone -u ./x a b", "git clone *"],
    ["scp -o ProxyCommand=./x a b:c", "scp *"],
    ["strace sh -c 'cat .env'", "strace *"],
    ["strace rm -rf .", "strace *"],
    ["hyperfine 'rm -rf .'", "hyperfine *"],
    ["tmux new-session ./x", "tmux *"],
    ["script -c ./x", "script *"],
    ["zip -T -TT 'touch x;:' c.zip a.txt", "zip *"],
    ["zip -T --unzip-command='touch x' c.zip a.txt", "zip *"],
    ["gcc -wrapper ./w a.c", "gcc *"],
    ["arm-none-eabi-gcc-12 -B. a.c", "arm-none-eabi-gcc-12 *"],
    ["clang++ -fplugin=./x.so a.cc", "clang++ *"],
    ["helm template x --post-renderer ./x", "helm template *"],
    ["gpg --agent-program ./x -k", "gpg *"],
    ["openssl list -provider-path .", "openssl *"],
    ["openssl dgst -engine ./x a", "openssl *"],
    ["mvn test exec:exec -Dexec.executable=./x", "mvn test *"],
    ["mvn org.codehaus.mojo:exec-maven-plugin:3.1.0:exec", "mvn *"],
    ["cargo build --conf x", "cargo build *"],
    ["npm install --node-gyp=./x", "npm install *"],
    ["npm test -script-shell=./x", "npm test *"],
    ["pip install --python ./x a", "pip install *"],
    ["make CC=./x", "make *"],
    ["make MAKE=x", "make *"],
    ["make BASH_ENV=x", "make *"],
    ["make LD_PRELOAD:=x", "make *"],
    ["make PATH=.", "make *"],
    ["make 'FLAGS=;id'", "make *"],
    ["eslint -f./x.js src", "eslint *"],
    ["eslint --format ./x.js src", "eslint *"],
    ["eslint --resolve-plugins-relative-to ./x src", "eslint *"],
    ["curl --engine ./x https://example.com", "curl *"],
    [`jest --config '{"rootDir":"/tmp/x"}'`, "jest *"],
    ["gradle test -Dorg.gradle.jvmargs=-javaagent:x", "gradle test *"],
    ["wget --use-askpass=./x https://example.com", "wget *"],
  ])("%s with %s, which starts a program or lets one start later", async (command, pattern) => {
    expect([await decision(command, `shell(${pattern})`, false), await decision(command, `shell(${pattern})`)]).toEqual(
      ["ask", "ask"],
    );
    expect(await decision(command, `shell(${pattern})`, false, "full")).toBe("allow");
  });

  it.each([
    ["curl -K cfg", "curl *"],
    ["curl -sK- < cfg", "curl *"],
    ["curl -#Kcfg", "curl *"],
    ["curl --conf cfg", "curl *"],
    ["wget -qi list", "wget *"],
    ["wget --config=x https://example.com", "wget *"],
    ["sort --files0-from=l -o x", "sort *"],
    ["tar -cf o.tar -T l", "tar *"],
    ["tar cTf l o.tar", "tar *"],
    ["rsync --files-from=l . out", "rsync *"],
    ["zip a.zip -@", "zip *"],
    ["gcc @x", "gcc *"],
    ["gcc -Wl,@x a.c", "gcc *"],
    ["tsc @x", "tsc *"],
    ["pytest @x", "pytest *"],
    ["gpg --export-secret-keys", "gpg *"],
    ["tar xf q.tar", "tar *"],
    ["tar -xzf q.tar -C build", "tar *"],
    ["bsdtar --extr -f q.zip", "bsdtar *"],
    ["unzip q.zip", "unzip *"],
    ["unzip -l --l q.zip", "unzip *"],
    ["7z x q.7z", "7z *"],
    ["cpio -i", "cpio *"],
    ["jar xf q.jar", "jar *"],
    ["patch -p1 -i a.patch", "patch --dry-run *"],
    ["git apply a.patch", "git *"],
  ])("%s with %s, because a file decides what it reads or writes", async (command, pattern) => {
    expect([await decision(command, `shell(${pattern})`, false), await decision(command, `shell(${pattern})`)]).toEqual(
      ["ask", "ask"],
    );
    expect(await decision(command, `shell(${pattern})`, false, "full")).toBe("allow");
    const items = (await accessOf(command)).filter(({ kind }) => kind === "exec");
    expect(suggestedRules(items, PLACES)).toBeUndefined();
  });

  it("a path that leads outside through a link, or into .git", async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-outside-")));
    const project = join(folder, "project");
    for (const name of ["project/.git", "project/src", "other"]) mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, "other/f"), "");
    symlinkSync("../other", join(project, "link"));
    symlinkSync(".git", join(project, "data"));
    symlinkSync("src", join(project, "source"));
    const env = new LocalEnvironment({ cwd: project, baseEnv: { HOME: "/home/me" } });
    const policy = { mode: "auto-edit", rules: [allowRule("shell", true)], places: { ...PLACES, roots: [project] } };
    const said = async (command: string) => {
      const access = await commandAccess(command, project, {
        env,
        paths: new CallPaths(env, new AbortController().signal),
      });
      return judge({ tier: "exec", access }, policy as Policy).decision;
    };
    const asked = ["mytool link/f", "mytool --out=link", "make -C link", "mytool link/new", "mytool data/hooks/x"];
    for (const command of asked) expect([command, await said(command)]).toEqual([command, "ask"]);
    for (const command of ["mytool source/a", "mytool src", "mytool test a.txt/b"])
      expect([command, await said(command)]).toEqual([command, "allow"]);
    rmSync(folder, { recursive: true });
  });

  it("a file that defines what a remembered rule runs, unless the rule contains it or git only records it", async () => {
    const said = async (command: string, pattern: string) => {
      const rules = [allowRule("shell(make *)", true), allowRule("shell(npm test *)", true)];
      const call = { tier: "exec" as const, access: await accessOf(command) };
      const policy = { mode: "auto-edit" as const, places: PLACES };
      const inside = staysInside(call, PLACES, rules);
      return [judge(call, { ...policy, rules: [...rules, allowRule(pattern, true)] }).decision, inside];
    };
    for (const command of [
      "curl -s -o Makefile https://example.com",
      "curl -oMakefile https://example.com",
      "sort -o sub/Makefile a",
      "rsync -a x/a.mk a.mk",
      "prettier --write package.json",
      "rm package.json",
      "rm pack*.json",
      "git rm Makefile",
    ]) {
      const [program = ""] = command.split(" ");
      expect([command, ...(await said(command, `shell(${program} *)`))]).toEqual([command, "ask", false]);
      if (command.includes("*")) continue;
      expect([command, ...(await said(command, `shell(${command})`))]).toEqual([command, "allow", false]);
    }
    for (const command of [
      "git add package.json Makefile",
      "git commit -m x package.json",
      "rm build/*",
      "rm ./*.js",
    ]) {
      const [program = ""] = command.split(" ");
      expect([command, ...(await said(command, `shell(${program} *)`))]).toEqual([command, "allow", true]);
    }
    expect(await decision("rm package.json", "shell(rm *)")).toBe("allow");
  });

  it("letters behind a dash are no path, also in another folder", async () => {
    expect(await decision("cd ../other && npm test -w -j4", "shell(npm test *)", false)).toBe("allow");
    expect(await decision("cd ../other && npm test -ofile.txt", "shell(npm test *)", false)).toBe("ask");
  });

  it("a word that a variable decides, once remembered", async () => {
    expect(await decision('npm test -- "$x"', "shell(npm test *)")).toBe("ask");
    expect(await decision('npm test -- "$x"', "shell(npm test *)", false)).toBe("allow");
  });
});

describe("a rule covers", () => {
  it.each([
    ["gcc -O2 -Wall -std=c11 -lm -DNDEBUG -o build/a a.c", "gcc *"],
    ["mytool -la -rn -j4 -n20 -k2,2 -I. -Iinclude -obuild", "mytool *"],
    ["tar -czf a.tgz src", "tar *"],
    ["curl -sSfLo out.json https://example.com/a", "curl *"],
    ["npm test -- --watch=false src/a.test.ts", "npm test *"],
    ["npm install --save-dev @types/node@~20.1.0", "npm install *"],
    ["git commit -am 'fix: /api and ../x'", "git commit *"],
    ["git commit -m \"$(cat <<'EOF'\nfix\nEOF\n)\"", "git commit *"],
    ["git push origin main", "git push *"],
    ["git push -u origin feature/x:refs/heads/feature/x", "git push *"],
    ["git fetch --prune origin", "git fetch *"],
    ["git merge main", "git merge *"],
    ["git config user.name x", "git config user.name x"],
    ["git config pull.rebase true", "git config *"],
    ["npm test -- -g name", "npm test *"],
    ["git clone --recursive https://example.com/a.git lib", "git clone *"],
    ["make build", "make *"],
    ["make -j4 CC=gcc build", "make *"],
    ["rm build/x ./build/y build/*.o", "rm *"],
    ["rm /srv/project/build/x", "rm *"],
    ["cd packages/a && npm test ../b", "npm test *"],
    ["pytest -q tests/a.py::test_x", "pytest *"],
    ["cargo build --release", "cargo build *"],
    ["go test ./...", "go test *"],
    ["tar tzf a.tgz", "tar *"],
    ["tar xzf a.tgz -C build", "tar xzf *"],
    ["tar --file a.tar -c src", "tar *"],
    ["unzip q.zip", "unzip q.zip"],
    ["unzip -l q.zip", "unzip *"],
    ["unzip -qqtv q.zip", "unzip *"],
    ["zip -r a.zip src", "zip *"],
    ["7z l q.7z", "7z *"],
    ["jar cf q.jar src", "jar *"],
    ["git apply --check a.patch", "git apply *"],
    ["git apply a.patch", "git apply *"],
    ["gpg --export me", "gpg *"],
    ["pip install --python-version 3.12 a", "pip install *"],
    ["npm install @types/node", "npm install *"],
    ["eslint -f json -c .eslintrc.json src/a.js", "eslint *"],
    ["eslint --fix --format=stylish src", "eslint *"],
    ["make V=1 test T=a.test.ts CFLAGS+=-O2", "make *"],
    ["wget -Ofile.html https://example.com", "wget *"],
    ["cargo build --color=always --config-x", "cargo build *"],
    ["mytool a > /dev/null", "mytool *"],
    ["mytool /dev/null", "mytool *"],
    ["mytool https://example.com/a/../b", "mytool *"],
    ["docker run -w /app image ls /etc", "docker *"],
    ["find . -name x -exec chmod +x {} ';'", "chmod *"],
    ["for f in a b; do node $f; done", "node *"],
    ["strace -f npm test", "npm test *"],
    ["rm ../other/f", "rm ../other/f"],
    ["rm ../other/f", "rm ../other/*"],
    ["rm ../other/f", "rm ../other/f *"],
    ["git config core.fsmonitor ./h/fs", "git config core.fsmonitor ./h/fs"],
  ])("%s with %s", async (command, pattern) => {
    expect(await decision(command, `shell(${pattern})`)).toBe("allow");
  });
});

describe("offered to be remembered", () => {
  it.each([
    ["git config user.name x", ["shell(git config user.name x)"]],
    ['git config user.name "A B"', ['shell(git config user.name "A B")']],
    ["git config core.pager x", undefined],
    ["strace -f npm test", ["shell(npm test *)"]],
    ["nohup npm test", ["shell(npm test *)"]],
    ["timeout 60 env npm test", ["shell(npm test *)"]],
    ["sqlite3 a.db", ["shell(sqlite3 a.db)"]],
    ["tmux new-session ./x", undefined],
    ["script -c ./x", undefined],
    ["rm build/x", ["shell(rm *)"]],
    ["rm ../other/f", ["shell(rm ../other/f)"]],
    ["docker run --rm image sh", ["shell(docker run --rm image sh)"]],
    ["docker compose exec web sh", ["shell(docker compose exec web sh)"]],
    ["docker-compose -f a.yml exec web sh", undefined],
    ["docker compose up -d", ["shell(docker compose up *)"]],
    ["mise run build", ["shell(mise run build *)"]],
    ["uv tool install ruff", ["shell(uv tool install *)"]],
    ["nvm use 20", ["shell(nvm use *)"]],
    ["nix build .#app", ["shell(nix build *)"]],
    ["flatpak list", ["shell(flatpak list *)"]],
    ["git submodule update --init", ["shell(git submodule update *)"]],
    ["git submodule deinit -f .", undefined],
    ["git stash", ["shell(git stash)"]],
    ["git stash -u", ["shell(git stash -u)"]],
    ["git stash pop", ["shell(git stash pop *)"]],
    ["git stash drop", undefined],
    ["git remote set-url origin x", ["shell(git remote set-url *)"]],
  ])("%s: %j", async (command, expected) => {
    const access = await accessOf(command);
    expect(
      suggestedRules(
        access.filter(({ kind }) => kind === "exec"),
        PLACES,
      ),
    ).toEqual(expected);
  });

  it.each([
    ...["rbenv exec ruby a.rb", "pyenv exec python a.py", "asdf exec ruby a.rb", "gem exec rake", "composer exec x"],
    ...["bundle exec ruby a.rb", "poetry run python a.py", "pipenv run x", "uv run x", "uv tool run x", "pdm run x"],
    ...["conda run x", "conda run -n env x", "micromamba run -n env x", "rye run x", "pixi run x", "hatch run x"],
    ...["nvm exec 18 node a.js", "nvm exec node a.js", "fnm exec --using 18 x", "volta run node a.js"],
    ...["mise exec node@20 -- node a.js", "mise x -- x", "mise exec ruby a.rb", "rustup run stable cargo build"],
    ...["npm exec x", "pnpm dlx x", "yarn dlx x", "direnv exec . x", "opam exec -- dune build", "stack exec x -- y"],
    ...["nix run nixpkgs#x", "nix shell nixpkgs#x -c x", "nix develop -c make", "nix --quiet develop --command make"],
    ...["docker exec box x", "kubectl exec pod -- x", "kubectl exec pod x", "flatpak run x", "flatpak -v run x"],
    ...[
      "systemd-run x",
      "doppler run -- x",
      "op run --env-file=a -- x",
      "aws-vault exec me -- x",
      "aws-vault exec me x",
    ],
  ])("%s runs any program, so nothing broader is", async (command) => {
    const access = await accessOf(command);
    expect(
      suggestedRules(
        access.filter(({ kind }) => kind === "exec"),
        PLACES,
      ),
    ).toBeUndefined();
    const [program = ""] = command.split(" ");
    expect(await decision(command, `shell(${program} *)`)).toBe("ask");
    expect(await decision(command, `shell(${command})`, false)).toBe("allow");
  });

  it.each(["rbenv exec rm x", "conda run -n e rm x", "mise exec ruby@3 -- rm x", "aws-vault exec me -- rm x"])(
    "a rule that denies rm finds it in %s",
    async (command) => {
      const rules = [{ ...allowRule("shell(rm *)", false), decision: "deny" as const }];
      const call = { tier: "exec" as const, access: await accessOf(command) };
      expect(judge(call, { mode: "full", rules, places: PLACES }).decision).toBe("deny");
    },
  );

  it("an answer about the tool does not cover a command that leads outside either", async () => {
    const inside = async (command: string) => staysInside({ tier: "exec", access: await accessOf(command) }, PLACES);
    expect([await inside("rm build/x"), await inside("rm ../other/f")]).toEqual([true, false]);
  });
});
