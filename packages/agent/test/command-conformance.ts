// Commands of an environment, and paths that only commands can make: links and pipes.

import { beforeAll, expect } from "vitest";
import { GuardedEnvironment } from "../src/world/env/guarded.ts";
import type { ExecutionEnvironment } from "../src/world/env/types.ts";

type Try = (title: string, test: () => Promise<void>, timeout?: number) => void;

/** Which parts are tried, and how. */
interface CommandCases {
  readonly commanded: Try;
  readonly links: Try;
  /** The absolute path of a file in the working directory. */
  at(path: string): string;
  /** Another environment is responsible for the rest. */
  readonly wraps: boolean;
  readonly far: boolean;
}

export function commandConformance(
  under: () => ExecutionEnvironment,
  { commanded, links, at, wraps, far }: CommandCases,
): void {
  let env: ExecutionEnvironment;
  beforeAll(() => {
    env = under();
  });
  /** A number of seconds that no other suite on the machine sleeps for. */
  const nap = (k: number) => 1_000_000 + process.pid * 10 + k;
  const sleeping = async (...wanted: number[]): Promise<number[]> => {
    // Prints one argument per line; only for a sleep is that the whole line.
    const script = "cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n'";
    const words = (await env.execCommand(script, 20_000)).stdout.split("\n");
    return wanted.filter((k) => words.includes(String(nap(k))));
  };

  commanded("TL-04 EE-01 D-020 code, streams, directory and variables", async () => {
    await env.writeFile("run/here.txt", "");
    const result = await env.execCommand('ls; echo "$GIVEN" >&2; pwd; exit 3', 20_000, {
      cwd: "run",
      env: { GIVEN: "it's = given" },
    });
    expect(result).toMatchObject({
      stdout: `here.txt\n${at("run")}\n`,
      stderr: "it's = given\n",
      exitCode: 3,
      timedOut: false,
      aborted: false,
    });
  });

  commanded("TL-04 standard input is closed and output streams", async () => {
    let live = "";
    const onOutput = (chunk: string) => {
      live += chunk;
    };
    expect(await env.execCommand("cat; echo end", 20_000, { onOutput })).toMatchObject({
      stdout: "end\n",
      exitCode: 0,
    });
    expect(live).toBe("end\n");
  });

  if (!wraps)
    commanded("TL-04 TR-04 D-023 a timeout ends the command with all it started, over there too", async () => {
      const command = `sleep ${nap(1)} & (setsid sleep ${nap(1)} &) ; echo started; sleep ${nap(1)}`;
      const result = await env.execCommand(command, 1500);
      expect(result).toMatchObject({ stdout: "started\n", timedOut: true });
      expect(await sleeping(1)).toEqual([]);
    });

  commanded("TL-04 abort ends it, a daemon does not hold the call, cleanup ends the daemon", async () => {
    const abort = new AbortController();
    const run = env.execCommand(`echo up; sleep ${nap(2)}`, 60_000, {
      signal: abort.signal,
      onOutput: () => abort.abort(),
    });
    expect(await run).toMatchObject({ stdout: "up\n", aborted: true });
    expect(await env.execCommand(`sleep ${nap(3)} >/dev/null 2>&1 & echo left`, 30_000)).toMatchObject({
      stdout: "left\n",
    });
    // The shell may have answered before the daemon has become `sleep`.
    await expect.poll(() => sleeping(2, 3)).toEqual([3]);
    await env.cleanup();
    expect(await sleeping(3)).toEqual([]);
  });

  links("EE-02 links: one that leads nowhere is seen as such, a write through it makes its target", async () => {
    await env.execCommand(
      "mkdir links; cd links; ln -s new.txt dangling; ln -s loop loop; echo x > f; ln -s f good",
      20_000,
    );
    expect(await env.stat("links/dangling")).toMatchObject({
      kind: "dangling",
      isSymlink: true,
      realPath: at("links/new.txt"),
    });
    expect(await env.stat("links/good")).toMatchObject({ kind: "file", isSymlink: true, realPath: at("links/f") });
    expect(await env.fileExists("links/dangling")).toBe(false);
    await expect(env.readFile("links/dangling")).rejects.toMatchObject({ code: "not_found" });
    await expect(env.readFile("links/loop")).rejects.toMatchObject({ code: "not_found" });
    await env.writeFile("links/dangling", "made");
    expect(await env.readFile("links/new.txt")).toBe("made");
    expect(await env.stat("links/dangling")).toMatchObject({ kind: "file", isSymlink: true });
  });

  links(
    "EE-02 SB-02 D3 changes are judged by where they land: through links, into new directories, of links themselves",
    async () => {
      await env.execCommand(
        "mkdir -p guard/ok guard/no; cd guard; echo secret > no/s; ln -s ../no ok/out; ln -s ../no/s ok/s; ln -s ../no/new ok/new; ln -s . ok/self",
        20_000,
      );
      const asked: string[] = [];
      const guarded = new GuardedEnvironment(env, {
        mayWrite: (real) => {
          asked.push(real);
          return real.startsWith(at("guard/ok/")) || "It is another's.";
        },
      });
      const refused = { code: "not_permitted", message: expect.stringContaining("It is another's.") };
      const ways = ["out/deep/x", "s", "new", ...(far ? [] : ["out/x", "../no/y", "self/out/x"])];
      for (const path of ways) {
        await expect(guarded.writeFile(`guard/ok/${path}`, "x"), path).rejects.toMatchObject(refused);
      }
      await expect(guarded.deleteFile("guard/ok/out/s")).rejects.toMatchObject(refused);
      await expect(guarded.moveFile("guard/ok/out/s", "guard/ok/mine")).rejects.toMatchObject(refused);
      await guarded.writeFile("guard/ok/self/deep/a", "1");
      await expect(guarded.moveFile("guard/ok/deep/a", "guard/ok/out/a")).rejects.toMatchObject(refused);
      await guarded.moveFile("guard/ok/deep/a", "guard/ok/s");
      await guarded.deleteFile("guard/ok/new");
      expect((await env.listDirectory("guard", 3)).map(({ name }) => name)).toEqual([
        "no",
        "no/s",
        "ok",
        "ok/deep",
        "ok/out",
        "ok/s",
        "ok/self",
      ]);
      expect([await env.readFile("guard/no/s"), await env.readFile("guard/ok/s")]).toEqual(["secret\n", "1"]);
      expect(asked).toContain(at("guard/no/deep/x"));
    },
    60_000,
  );

  links(
    "EE-02 D3 a path that was real when it was judged is not followed when a link stands in it",
    async () => {
      await env.execCommand(
        "mkdir -p real/dir real/else; cd real; echo x > dir/f; ln -s else link; ln -s f dir/l",
        20_000,
      );
      const changed = { code: "changed" };
      const noLinks = { noLinks: true };
      await expect(env.writeFile(at("real/link/x"), "x", noLinks)).rejects.toMatchObject(changed);
      await expect(env.writeFile(at("real/link/new/x"), "x", noLinks)).rejects.toMatchObject(changed);
      await expect(env.writeFile(at("real/dir/l"), "x", noLinks)).rejects.toMatchObject(changed);
      await env.execCommand("cp real/dir/f real/else/f", 20_000);
      await expect(env.deleteFile(at("real/link/f"), noLinks)).rejects.toMatchObject(changed);
      await expect(env.moveFile(at("real/link/f"), at("real/dir/g"), noLinks)).rejects.toMatchObject(changed);
      await expect(env.moveFile(at("real/dir/f"), at("real/link/g"), noLinks)).rejects.toMatchObject(changed);
      expect((await env.listDirectory("real/else", 1)).map(({ name }) => name)).toEqual(["f"]);
      await env.writeFile(at("real/dir/new/deep/x"), "x", noLinks);
      await env.moveFile(at("real/dir/new/deep/x"), at("real/dir/made/y"), noLinks);
      await env.deleteFile(at("real/dir/l"), noLinks);
      expect(await env.readFile("real/dir/made/y")).toBe("x");
      expect(await env.readFile("real/dir/f")).toBe("x\n");
    },
    60_000,
  );

  links("EE-02 D3 a pipe where a file is expected is named as such, neither waited for nor replaced", async () => {
    await env.execCommand("mkdir odd; mkfifo odd/pipe; ln -s pipe odd/link", 20_000);
    for (const path of ["odd/pipe", "odd/link"]) {
      expect(await env.stat(path)).toMatchObject({ kind: "other" });
      await expect(env.readFile(path)).rejects.toMatchObject({ code: "not_file", path: at(path) });
      await expect(env.readBytes(path, { start: 0, end: 10 })).rejects.toMatchObject({ code: "not_file" });
      await expect(env.writeFile(path, "x")).rejects.toMatchObject({ code: "not_file" });
    }
    await env.deleteFile("odd/link");
    expect((await env.listDirectory("odd", 1)).map(({ name }) => name)).toEqual(["pipe"]);
  });

  links("EE-02 a write to a file that other projects share, as in a package store, does not reach them", async () => {
    await env.execCommand("mkdir names; cd names; echo old > one; chmod 640 one; ln one two", 20_000);
    await env.writeFile("names/one", "#!/bin/sh\n", { executable: true });
    expect(await env.readFile("names/two")).toBe("old\n");
    expect(await env.stat("names/one")).toMatchObject({ size: 10, mode: 0o750 });
    expect((await env.listDirectory("names", 1)).map(({ name }) => name)).toEqual(["one", "two"]);
  });

  commanded("EE-02 background commands can be read and stopped", async () => {
    const job = env.startCommand!(`echo begun; sleep ${nap(4)}`);
    while (job.read().next < 6) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(job.read().text).toBe("begun\n");
    await job.stop();
    expect(job.running).toBe(false);
    expect(await sleeping(4)).toEqual([]);
  });
}
