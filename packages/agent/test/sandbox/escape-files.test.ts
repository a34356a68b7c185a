// Attempts to change or read files outside of the sandbox, run for real.

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { program } from "../programs.ts";
import { CAN_CONFINE, type Cell, makeCell, NEEDS } from "./cell.ts";

describe.skipIf(!CAN_CONFINE)(`a sandboxed command and files ${NEEDS}`, () => {
  let cell: Cell;
  beforeAll(() => {
    // Ripgrep is visible where it is installed, which may be below /tmp.
    cell = makeCell({ fixedNames: [".lathe"], search: "builtin" });
  });
  afterAll(() => cell?.dispose());

  it("G works where it may: the root, /tmp from one command to the next, and nothing of that /tmp is the machine's", async () => {
    const wrote = await cell.run("echo a > new.txt; echo b > /tmp/b; echo c > /var/tmp/c; ls -A /tmp /run /dev/shm");
    expect(wrote).toMatchObject({ exitCode: 0, stderr: "" });
    expect(readFileSync(join(cell.root, "new.txt"), "utf8")).toBe("a\n");
    expect((await cell.run("cat /tmp/b /var/tmp/c")).stdout).toBe("b\nc\n");
    expect((await cell.run("ls -A /tmp")).stdout.trim()).toBe("b");
    expect(existsSync("/tmp/b") || existsSync("/var/tmp/c")).toBe(false);
  });

  it.each([
    ["a new file", 'touch "$OUT/new"'],
    ["an existing file", 'echo bad > "$OUT/kept"'],
    ["a deletion", 'rm -f "$OUT/kept"'],
    ["a rename into the root", 'mv "$OUT/kept" .'],
    ["a link that leads out", 'ln -sfn "$OUT" out; echo bad > out/kept'],
    ["another name for the same file", 'ln "$OUT/kept" same && echo bad > same'],
    ["a mode", 'chmod 777 "$OUT/kept"; test "$(stat -c %a "$OUT/kept")" = 777'],
    ["the path through this process", 'echo bad > "/proc/self/root$OUT/kept"'],
    [
      "the path through every other process",
      'for p in /proc/[0-9]*; do echo bad > "$p/root$OUT/kept" && exit 0; done; exit 1',
    ],
    [
      "the working directory of every other process",
      'for p in /proc/[0-9]*; do echo bad > "$p/cwd/../../outside/kept" && exit 0; done; exit 1',
    ],
    [
      "a directory that was open before",
      'for f in /proc/*/fd/*; do echo bad > "$f/../outside/kept" && exit 0; done; exit 1',
    ],
    ["the system", "touch /etc/lathe-was-here"],
    ["programs of the system", "touch /usr/bin/lathe-was-here"],
    ["the home directory", 'echo bad > "$HOME_OUT/.bashrc"'],
  ])("G cannot change outside of the roots: %s", async (_, attack) => {
    const { exitCode } = await cell.run(attack, { OUT: cell.outside, HOME_OUT: cell.home });
    expect(exitCode).not.toBe(0);
    expect(readFileSync(join(cell.outside, "kept"), "utf8")).toBe("kept");
    expect(readdirSync(cell.outside)).toEqual(["kept"]);
    expect(existsSync(join(cell.home, ".bashrc")) || existsSync("/etc/lathe-was-here")).toBe(false);
  });

  it("G cannot read keys and passwords, by whatever way, and sees that there is nothing", async () => {
    symlinkSync(join(cell.home, ".ssh/id_rsa"), join(cell.root, "key"));
    const attack = `cat key; cat "$H"/.ssh/* "$H"/.aws/credentials "$H/.config/gh/hosts.yml" "$H/.netrc" "$H/.npmrc"
      cat "/proc/self/root$H/.ssh/id_rsa"; for p in /proc/[0-9]*; do cat "$p/root$H/.ssh/id_rsa" "$p/cwd/../.ssh/id_rsa"; done
      grep -rs TOP-SECRET "$H" /proc/[0-9]*/environ; cat /etc/shadow /etc/ssh/ssh_host_*_key`;
    const { output } = await cell.run(attack, { H: cell.home });
    expect(output).not.toContain("TOP-SECRET");
    expect(output).not.toMatch(/PRIVATE KEY|^root:[^x]/m);
    expect((await cell.run('ls -A "$H/.ssh"; wc -c < "$H/.netrc"', { H: cell.home })).stdout).toBe("0\n");
  });

  it("G file tools keep to the same limits: no write outside, no read of keys, also through links", async () => {
    symlinkSync(cell.outside, join(cell.root, "way-out"));
    const refused = { code: "not_permitted" };
    await expect(cell.env.writeFile("way-out/kept", "bad")).rejects.toMatchObject(refused);
    await expect(cell.env.writeFile(join(cell.outside, "new"), "bad")).rejects.toMatchObject(refused);
    await expect(cell.env.deleteFile("way-out/kept")).rejects.toMatchObject(refused);
    await expect(cell.env.moveFile("new.txt", "way-out/x")).rejects.toMatchObject(refused);
    await expect(cell.env.readFile(join(cell.home, ".ssh/id_rsa"))).rejects.toMatchObject(refused);
    symlinkSync(join(cell.home, ".ssh"), join(cell.root, "keys"));
    await expect(cell.env.readFile("keys/id_rsa")).rejects.toMatchObject(refused);
    expect((await cell.env.grep("TOP", cell.home, {})).lines).toEqual([]);
  });

  it("G a command that swaps a folder for a link while a file tool writes there moves no write outside", async () => {
    mkdirSync(join(cell.root, "race/real"), { recursive: true });
    symlinkSync(cell.outside, join(cell.root, "race/link"));
    const exchange = `
import ctypes
libc = ctypes.CDLL(None)
print("go", flush=True)
while True: libc.renameat2(-100, b"race/real", -100, b"race/link", 2)`;
    const swapper = cell.env.startCommand!('exec python3 -c "$SCRIPT"', { env: { SCRIPT: exchange } });
    while (!swapper.read().text.includes("go")) await new Promise(setImmediate);
    let [written, refused] = [0, 0];
    for (let round = 0; round < 20_000 && (written < 20 || refused < 20); round++) {
      await cell.env.writeFile("race/real/kept", "bad").then(
        () => written++,
        () => refused++,
      );
    }
    await swapper.stop();
    expect(Math.min(written, refused)).toBeGreaterThan(0);
    expect(readFileSync(join(cell.outside, "kept"), "utf8")).toBe("kept");
    expect(readdirSync(cell.outside)).toEqual(["kept"]);
  });

  it.each([
    ["a system control", 'v=$(cat /proc/sys/kernel/core_pattern); echo "$v" > /proc/sys/kernel/core_pattern'],
    ["the key that restarts the machine", ": >> /proc/sysrq-trigger"],
    ["the program for empty control groups", "f=$(find /sys/fs/cgroup -name release_agent | head -1); : >> $f"],
    ["a control group", "mkdir /sys/fs/cgroup/lathe-was-here || mkdir /sys/fs/cgroup/memory/lathe-was-here"],
    ["kernel memory", "head -c1 /dev/mem || head -c1 /proc/kcore"],
    ["a device", "mknod dev b 8 0 || ls /dev/sd* /dev/vd* /dev/nvme*"],
    ["a mount", "mkdir -p m; mount -t tmpfs none m"],
    ["making the system writable again", "mount -o remount,rw / || mount -o remount,bind,rw /etc"],
    ["taking away what hides", 'umount /run || umount -l "$H/.ssh" || umount /tmp'],
    ["a user namespace", "unshare -Ur true || unshare -m true"],
    ["the namespaces of the process that holds them", "nsenter -t 1 -m true || nsenter -t 1 -U -m true"],
    ["another root", "chroot /proc/1/root true"],
    ["loading a module", "insmod /lib/modules/none.ko || modprobe loop"],
    ["the clock and the name of the machine", 'date -s "$(date)" || hostname lathe-was-here'],
  ])("G cannot reach into the system: %s", async (_, attack) => {
    expect((await cell.run(attack, { H: cell.home })).exitCode).not.toBe(0);
  });

  it("G a program with the set-user-id bit gives no other user inside", async () => {
    const path = join(cell.root, "other-user");
    copyFileSync(program("id")!, path);
    if (process.getuid!() === 0) chownSync(path, 65_534, 65_534);
    chmodSync(path, 0o4755);
    if (process.getuid!() === 0) expect(execFileSync(path, ["-u"]).toString()).toBe("65534\n");
    expect((await cell.run("./other-user -u")).stdout).toBe(`${process.getuid!()}\n`);
    expect((await cell.run("grep -E 'NoNewPrivs|CapEff|CapBnd' /proc/self/status | tr -d '\\t\\n'")).stdout).toBe(
      "CapEff:0000000000000000CapBnd:0000000000000000NoNewPrivs:1",
    );
  });

  it("G leaves no file that acts as another user outside, by whatever call, and reads no key ring of the user", async () => {
    const set = `
import ctypes, os, platform, stat, struct, subprocess
libc = ctypes.CDLL(None, use_errno=True)
x64 = platform.machine() == "x86_64"
def fresh(name):
    open(name, "w").close(); return name
def call(number, *args):
    if libc.syscall(number, *args) < 0: raise OSError(ctypes.get_errno(), "refused")
tries = {
    "chmod": lambda: os.chmod(fresh("u1"), 0o4755),
    "chmod of a group": lambda: os.chmod(fresh("u2"), 0o2755),
    "fchmod": lambda: os.fchmod(os.open(fresh("u3"), os.O_RDWR), 0o6755),
    "fchmodat": lambda: os.chmod(fresh("u4"), 0o4755, dir_fd=os.open(".", os.O_RDONLY)),
    "fchmodat2": lambda: call(452, -100, fresh("u5").encode(), 0o4755, 0),
    "open": lambda: os.open("u6", os.O_CREAT | os.O_RDWR, 0o4755),
    "a file without a name": lambda: os.link(f"/proc/self/fd/{os.open('.', os.O_TMPFILE | os.O_RDWR, 0o4755)}", "u7", follow_symlinks=True),
    "mknod": lambda: os.mknod("u8", stat.S_IFREG | 0o4755),
    "openat2": lambda: call(437, -100, b"u9", ctypes.create_string_buffer(struct.pack("QQQ", os.O_CREAT | os.O_RDWR, 0o4755, 0)), 24),
    "io_uring": lambda: call(425, 8, ctypes.create_string_buffer(120)),
    "the other numbers of x86": lambda: call(0x40000000 + 90, fresh("u10").encode(), 0o4755) if x64 else os.chmod(fresh("u10"), 0o4755),
    "creat": lambda: call(85, b"u11", 0o4755) if x64 else os.open("u11", os.O_CREAT | os.O_RDWR, 0o4755),
    "a folder": lambda: (os.mkdir("u12"), os.chmod("u12", 0o2755)),
    "install": lambda: subprocess.run(["install", "-m", "4755", "/bin/true", "u13"], check=True, stderr=subprocess.DEVNULL),
    "a key ring": lambda: call(250 if x64 else 219, 0, -5, 1),
}
for name, attempt in tries.items():
    try: attempt(); print("DONE", name)
    except Exception: pass
os.chmod(fresh("plain"), 0o1755); print("TRIED")`;
    expect((await cell.python(set)).output).toBe("TRIED\n");
    expect(execFileSync("find", [cell.root, "-perm", "/6000", "-name", "u*"]).toString()).toBe("");
    expect((await cell.run("ls -l /proc/self/fd; stat -c %a plain")).stdout).toMatch(/^(?!.*filter).*\n1755\n$/s);
  });

  it("G cannot put libraries into the programs that start the sandbox", async () => {
    const traced = makeCell({
      baseEnv: { ...process.env, LD_DEBUG: "files", LD_DEBUG_OUTPUT: "/tmp/ld" },
      envPolicy: "inherit_all",
    });
    try {
      const { stdout } = await traced.run("cat /tmp/ld.*");
      expect(stdout).toMatch(/initialize program: .*bash/);
      expect(stdout).not.toMatch(/initialize program: .*(?:bwrap|nsenter)/);
    } finally {
      await traced.dispose();
    }
  });

  it("G the agent's own settings in the project cannot be created by a command, and no empty folder is left", async () => {
    const made = makeCell({ fixedNames: [".lathe"] });
    try {
      expect((await made.run("echo 'permissionMode: full' > .lathe/config.yml || mv .lathe x")).exitCode).not.toBe(0);
      await made.env.cleanup();
      expect(readdirSync(made.root)).toEqual([]);
    } finally {
      await made.dispose();
    }
  });

  it("G says that the sandbox caused a failure, and what can be written", async () => {
    expect((await cell.run("touch /etc/x")).note).toContain(`only ${cell.root}, /tmp can be written`);
    expect((await cell.run('python3 -c \'open("/usr/x", "w")\'')).note).toContain("can be written");
    expect((await cell.run("mknod node b 8 0")).note).toMatch(/may have caused/);
    expect((await cell.run("exit 3")).note).toBeUndefined();
    expect((await cell.run("echo Read-only file system")).note).toBeUndefined();
    writeFileSync(join(cell.root, "plain"), "");
    expect(await cell.env.execCommand(`touch "${cell.outside}/allowed"`, 20_000, { outside: true })).toMatchObject({
      exitCode: 0,
    });
    expect(existsSync(join(cell.outside, "allowed"))).toBe(true);
  });
});
