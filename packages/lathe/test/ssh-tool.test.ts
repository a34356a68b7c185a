// The tool `ssh` of the built command against a real sshd on loopback, started here with its own keys and configuration.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { turn } from "@lathe/testkit";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { isAlive, until } from "../../agent/test/alive.ts";
import { has, program } from "../../agent/test/programs.ts";
import { type ExtensionBox, extensionBox } from "./extensions-kit.ts";

describe.skipIf(!has("sshd", "ssh", "ssh-keygen"))("ssh (needs sshd)", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-ssh-tool-")));
  let server: ChildProcess;
  let port: number;
  let log = "";
  let box: ExtensionBox;

  beforeAll(async () => {
    for (const key of ["host", "client"])
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, key)]);
    copyFileSync(join(folder, "client.pub"), join(folder, "authorized"));
    copyFileSync(join(folder, "client"), join(folder, "open-key"));
    chmodSync(join(folder, "open-key"), 0o644);
    // sshd wants its privilege separation directory, which a service manager would have made.
    if (userInfo().uid === 0) mkdirSync("/run/sshd", { recursive: true });
    port = await freePort();
    const config = [
      ...[`Port ${port}`, "ListenAddress 127.0.0.1", `HostKey ${folder}/host`, `PidFile ${folder}/pid`],
      ...[`AuthorizedKeysFile ${folder}/authorized`, "StrictModes no", "UsePAM no", "PasswordAuthentication no"],
    ];
    writeFileSync(join(folder, "config"), `${config.join("\n")}\n`);
    const stdio = ["ignore", "ignore", "pipe"] as const;
    server = spawn(program("sshd")!, ["-D", "-e", "-f", join(folder, "config")], { stdio: [...stdio] });
    server.stderr!.on("data", (chunk: Buffer) => {
      log += chunk.toString();
    });
    await until(() => log.includes("Server listening"));
  });
  afterAll(() => {
    server?.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    box = await extensionBox();
  });
  afterEach(() => box.remove());

  const row = (key: string) => ({ host: "127.0.0.1", port, username: userInfo().username, keyPath: join(folder, key) });
  const ssh = (id: string, args: object) => turn.calls([{ name: "ssh", args, id }]);
  const run = () => box.run(["--permission-mode", "full", "-p", "go"], { KEYS: folder });
  const result = (n: number): string => box.results()[n]?.text ?? "";
  const names = (): string => JSON.stringify(box.server.requests[0]?.body);

  it("T-SSH-1 G-75 commands run on the named host over one connection; what fails says why", async () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Lathe expands it, not the test.
    const hosts = { near: { ...row("client"), keyPath: "${KEYS}/client" }, loose: row("open-key") };
    await box.user("ssh.json", JSON.stringify({ hosts }));
    mkdirSync(join(folder, "a b"), { recursive: true });
    box.script(
      ssh("1", { host: "near", command: "uname" }),
      ssh("2", { host: "near", command: "pwd; false", cwd: join(folder, "a b") }),
      ssh("3", { host: "near", command: "true" }),
      ssh("4", { host: "near", command: "echo pid $$; exec sleep 60", timeout: 4 }),
      ssh("5", { host: "loose", command: "uname" }),
      ssh("6", { host: "far", command: "uname" }),
      turn.text("done"),
    );
    const { stdout, stderr } = await run();
    expect({ stdout: stdout.trim(), stderr }).toEqual({ stdout: "done", stderr: "" });
    expect(names()).toContain("Known hosts: near, loose.");
    expect(result(0)).toBe("Linux");
    expect(result(1)).toBe(`${join(folder, "a b")}\nCommand exited with code 1`);
    expect(result(2)).toBe("(no output)");
    expect(result(3)).toMatch(/^pid \d+\n\[SSH: the command was ended after 4 s\]$/);
    expect(isAlive(Number(/pid (\d+)/.exec(result(3))?.[1]))).toBe(false);
    expect(result(4)).toBe(`SSH key permissions must be 600 or stricter: ${join(folder, "open-key")}`);
    expect(result(5)).toBe("Unknown SSH host: far. Available hosts: near, loose");
    expect(log.match(/Accepted publickey/g)).toHaveLength(1);
  });

  it("T-SUB-1 T-SSH-1 without hosts the tool is not offered, nor for a file of a folder that nobody trusts", async () => {
    await box.project(".lathe/ssh.json", JSON.stringify({ hosts: { near: row("client") } }));
    box.script(turn.text("done"), turn.text("done"));
    const { stderr } = await run();
    expect(names()).not.toContain('"name":"ssh"');
    expect(stderr).toContain("ssh.json has no effect until you trust it: lathe trust");
  });

  it("T-SSH-1 a file that is wrong is one line; the others still count", async () => {
    await box.user("ssh.json", '{"hosts": {"bad": {"port": 22}}}');
    box.script(turn.text("done"));
    const { stderr, stdout } = await run();
    expect(stdout.trim()).toBe("done");
    expect(stderr).toContain('ssh.json: the host bad has no "host"');
  });
});

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
