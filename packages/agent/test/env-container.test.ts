// The conformance suite inside a real container: podman with runc, and an image made of busybox alone.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { webGate } from "../src/files/web/gate/web-gate.ts";
import { ContainerEnvironment } from "../src/world/env/container.ts";
import { until } from "./alive.ts";
import { environmentConformance } from "./env-conformance.ts";
import { fetchText } from "./gate-conformance.ts";
import { has, program } from "./programs.ts";

describe.skipIf(!has("podman", "runc", "busybox"))("EE-04 container (needs podman, runc, busybox)", () => {
  const folder = mkdtempSync(join(tmpdir(), "lathe-podman-"));
  const baseEnv = { ...process.env, CONTAINERS_CONF: join(folder, "containers.conf") };
  const storage = ["--root", join(folder, "root"), "--runroot", join(folder, "run"), "--storage-driver", "vfs"];
  const podman = (args: string[], input?: Buffer) =>
    execFileSync("podman", [...storage, ...args], { env: baseEnv, input, stdio: ["pipe", "pipe", "pipe"] })
      .toString()
      .trim();
  let container: string;

  beforeAll(() => {
    // crun needs another control group layout, and raising limits needs a capability that test machines rarely have.
    const limits =
      '[containers]\ndefault_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]\n[engine]\nruntime = "runc"\n';
    writeFileSync(join(folder, "containers.conf"), limits);
    const image = join(folder, "image");
    for (const name of ["bin", "tmp", "proc", "sys", "dev", "etc", "root", "work"]) {
      mkdirSync(join(image, name), { recursive: true });
    }
    copyFileSync(program("busybox")!, join(image, "bin/busybox"));
    for (const name of execFileSync("busybox", ["--list"]).toString().trim().split("\n")) {
      if (name !== "busybox") symlinkSync("busybox", join(image, "bin", name));
    }
    const archive = execFileSync("tar", ["-C", image, "-c", "."], { maxBuffer: 64 << 20 });
    podman(["import", "-", "localhost/lathe-test:1"], archive);
    container = podman([
      "run",
      "-d",
      "--network=none",
      "localhost/lathe-test:1",
      "/bin/sh",
      "-c",
      "while :; do sleep 60; done",
    ]);
  });
  afterAll(() => {
    if (container !== undefined) podman(["rm", "-f", "-t", "0", container]);
    // podman cleans up after each exec in a separate process, which may still be writing.
    rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
  });

  const make = (cwd: string, name = container) =>
    new ContainerEnvironment({ cwd, baseEnv, container: name, cli: "podman", cliArgs: storage });

  environmentConformance(
    async () => {
      const env = make("/work");
      return {
        env,
        setMtime: async (path, seconds) => {
          await env.execCommand(`touch -d @${seconds} ${path}`, 20_000);
        },
        dispose: async () => {},
      };
    },
    // The tools' file commands are the same as over ssh, and so is the handling of links. The mix-in provides the relay
    // to a port, and busybox has its own test; the gate's relay, below, goes through it in the container.
    { commands: true, far: true, inherits: ["tools", "links", "ports"] },
  );

  it("EE-01 one identity for each container and directory", () => {
    expect(make("/work").identity).toBe(make("/work").identity);
    expect(new Set([make("/work"), make("/"), make("/work", "other")].map(({ identity }) => identity)).size).toBe(3);
  });

  it("EE-04 the host's environment stays outside", async () => {
    const env = make("/");
    const { stdout } = await env.execCommand("env", 20_000, { env: { ASKED: "yes" } });
    expect(stdout).toContain("ASKED=yes");
    expect(stdout).not.toContain("CONTAINERS_CONF");
    await env.cleanup();
  });

  it("EE-01 in a container, too, the gate keeps to the session: a server that another one started is closed until the user types it", async () => {
    const [mine, theirs] = [make("/"), make("/")];
    const page =
      'while read -r line && [ "$line" != "$(printf "\\r")" ]; do :; done; printf "HTTP/1.0 200 OK\\r\\n\\r\\ntheirs"';
    theirs.startCommand(`nc -ll -p 8123 -e sh -c '${page}'`);
    await until(() =>
      theirs.connect(8123).then(
        (connection) => connection.destroy().destroyed,
        () => false,
      ),
    );
    const gate = webGate({ env: mine });
    await expect(fetchText(gate, "http://localhost:8123/")).rejects.toThrow("localhost:8123 is closed");
    expect(await fetchText(gate.inside(theirs), "http://localhost:8123/")).toBe("theirs");
    gate.openTyped("http://127.0.0.1:8123");
    expect(await fetchText(gate, "http://localhost:8123/")).toBe("theirs");
    await Promise.all([mine, theirs].map((env) => env.cleanup()));
  }, 120_000);

  it("EE-04 a container that is not there is an error", async () => {
    await expect(make("/", "no-such-container").initialize()).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/^container no-such-container: .*no such container.*Check that it is reachable/i),
    });
    await expect(make("/", "no-such-container").startProcess(["cat"])).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/cat on container no-such-container: .*no such container/i),
    });
  });
});
