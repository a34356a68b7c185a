// The built broker as a process: killed while an issuer is asked, with a full disk, with a clock that jumps, and with a
// sign-in over ssh.

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../../../agent/test/alive.ts";
import { has, program } from "../../../agent/test/programs.ts";
import { freePort } from "../../../agent/test/sshd.ts";
import { Vault } from "../../src/doors/broker/vault/vault.ts";
import { CLI, type Sandbox, sandbox } from "../command.ts";
import { canMount, withTmpfs } from "../tmpfs.ts";
import {
  type BrokerProcess,
  type BrokerProcessKit,
  brokerProcessKit,
  type RotatingIssuer,
} from "./broker-process-kit.ts";

let kit: BrokerProcessKit;
let box: Sandbox;
let issuer: RotatingIssuer;
beforeEach(async () => {
  kit = await brokerProcessKit();
  ({ box, issuer } = kit);
});
afterEach(() => kit.close());

const startBroker = (env?: Record<string, string>): Promise<BrokerProcess> => kit.start(env);
const vault = (): Vault => kit.vault;
const store = (expires: number): Promise<unknown> => kit.store("refresh-1", expires);
const stored = () => vault().store.get("acme");
const status = () => kit.status();
const renew = (broker: BrokerProcess) => kit.renew(broker);

const never = new Promise<void>(() => {});

describe("AU-02 the broker as a process", () => {
  it("AU-02 killed before the issuer has decided: the token is still good, and the next start renews it", async () => {
    await store(Date.now() + 60_000);
    issuer.before = () => never;
    const first = await startBroker();
    await until(() => issuer.shown.length === 1);
    expect(await status()).toMatchObject({ state: "renewing" });
    await first.kill();
    expect(await status()).toMatchObject({ state: "cut_off" });
    expect(await stored()).toMatchObject({ refresh: "refresh-1" });
    issuer.before = async () => {};
    await startBroker();
    await until(async () => (await status()).state === "good");
    expect(await stored()).toMatchObject({ refresh: issuer.valid });
    expect(issuer.shown).toEqual(["refresh-1", "refresh-1"]);
    expect(readdirSync(vault().folder).filter((name) => /room|tmp/.test(name))).toEqual([]);
  }, 60_000);

  it("AU-02 killed after the issuer has decided and before its answer came: that is said, and nothing is tried again and again", async () => {
    await store(Date.now() + 60_000);
    issuer.after = () => never;
    const first = await startBroker();
    await until(() => issuer.shown.length === 1);
    await until(() => issuer.valid !== "refresh-1");
    await first.kill();
    issuer.after = async () => {};
    await startBroker();
    await until(async () => (await status()).state === "disabled");
    expect((await status()).cause).toMatch(
      /^invalid_grant \(renewing was cut off at \S+; the token that the issuer sent then is lost\)$/,
    );
    expect(issuer.shown).toHaveLength(2);
  }, 60_000);

  it("AU-02 killed once a client has the new token: it is in the vault", async () => {
    await store(Date.now() + 3_600_000);
    const first = await startBroker();
    expect((await renew(first)).status).toBe(200);
    await first.kill();
    expect(await stored()).toMatchObject({ access: "access-1", refresh: issuer.valid });
    await startBroker();
    expect(await status()).toMatchObject({ state: "good" });
  }, 60_000);

  it.skipIf(!canMount)(
    "AU-02 a full disk: no issuer is asked whose answer could not be kept (needs mount)",
    async () => {
      await withTmpfs(vault().folder, "512k", async (folder) => {
        await store(Date.now() + 3_600_000);
        const broker = await startBroker();
        const full = join(folder, "full");
        const fill = (): void => {
          try {
            writeFileSync(full, Buffer.alloc(1 << 20));
          } catch (error) {
            expect((error as NodeJS.ErrnoException).code).toBe("ENOSPC");
          }
        };
        fill();
        const refused = await renew(broker).catch((error: unknown) => {
          throw new Error(`the broker is gone: ${broker.output()}`, { cause: error });
        });
        expect([refused.status, JSON.parse(refused.text).error.code]).toEqual([503, "vault_failed"]);
        expect(issuer.shown).toEqual([]);
        expect(await status()).toMatchObject({ state: "blocked", cause: expect.stringContaining("ENOSPC") });
        expect(await stored()).toMatchObject({ refresh: "refresh-1" });
        rmSync(full);
        expect((await renew(broker)).status).toBe(200);
        expect(await status()).toMatchObject({ state: "good" });
        expect(await stored()).toMatchObject({ refresh: issuer.valid });
        await broker.kill();
      });
    },
    60_000,
  );

  const FAKETIME = ["x86_64-linux-gnu", "aarch64-linux-gnu"]
    .map((machine) => `/usr/lib/${machine}/faketime/libfaketime.so.1`)
    .find((file) => existsSync(file));
  it.skipIf(!FAKETIME)(
    "AU-02 a clock that jumps by years under a running broker loses no credential (needs libfaketime)",
    async () => {
      await store(Date.now() + 3_600_000);
      const clock = join(box.dir, "clock");
      writeFileSync(clock, "+0\n");
      const broker = await startBroker({
        LD_PRELOAD: FAKETIME!,
        FAKETIME_TIMESTAMP_FILE: clock,
        FAKETIME_NO_CACHE: "1",
        FAKETIME_DONT_FAKE_MONOTONIC: "1",
      });
      for (const jump of ["+3y", "-3y", "+0"]) {
        writeFileSync(clock, `${jump}\n`);
        expect([jump, (await renew(broker)).status]).toEqual([jump, 200]);
        expect(await stored()).toMatchObject({ refresh: issuer.valid });
      }
      expect(issuer.shown).toEqual(["refresh-1", "refresh-2", "refresh-3"]);
      expect(broker.child.exitCode).toBeNull();
      const { access, expires } = (await stored()) as { access: string; expires: number };
      expect([access, Math.abs(expires - Date.now() - 3_600_000) < 600_000]).toEqual(["access-3", true]);
    },
    60_000,
  );
});

describe.skipIf(!has("sshd", "ssh", "ssh-keygen"))("AU-03 login --via (needs sshd)", () => {
  it("AU-03 the browser of this machine comes back through ssh, and the other machine's vault has the token", async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "lathe-via-")));
    const there = await sandbox();
    const signIn = createServer(async (incoming, outgoing) => {
      for await (const _ of incoming);
      const token = { access_token: "access-via", refresh_token: "refresh-via", expires_in: 3600 };
      outgoing.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(token));
    });
    await new Promise<void>((resolve) => signIn.listen(0, "127.0.0.1", resolve));
    const at = `http://127.0.0.1:${(signIn.address() as AddressInfo).port}`;
    const [sshPort, redirectPort, nearPort] = [await freePort(), await freePort(), await freePort()];
    const row = `acme:\n  clientId: lathe\n  tokenUrl: ${at}/token\n  authorizeUrl: ${at}/authorize\n  redirectPort: ${redirectPort}\n`;
    for (const place of [box, there]) {
      mkdirSync(join(place.home, ".lathe"), { recursive: true });
      writeFileSync(join(place.home, ".lathe/oauth.yml"), row);
    }
    const script = (path: string, text: string): void => {
      mkdirSync(join(path, ".."), { recursive: true });
      writeFileSync(path, `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    };
    script(join(folder, "there/lathe"), `exec '${process.execPath}' '${CLI}' "$@"`);
    for (const key of ["host", "client"])
      execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", join(folder, key)]);
    writeFileSync(join(folder, "authorized"), readFileSync(join(folder, "client.pub")));
    if (userInfo().uid === 0) mkdirSync("/run/sshd", { recursive: true });
    const config = [
      ...[`Port ${sshPort}`, "ListenAddress 127.0.0.1", `HostKey ${folder}/host`, `PidFile ${folder}/pid`],
      ...[`AuthorizedKeysFile ${folder}/authorized`, "StrictModes no", "UsePAM no", "PasswordAuthentication no"],
      `SetEnv HOME=${there.home} LATHE_HOME=${there.home}/.lathe PATH=${folder}/there:/usr/bin:/bin`,
    ];
    writeFileSync(join(folder, "config"), `${config.join("\n")}\n`);
    const server = spawn(program("sshd")!, ["-D", "-e", "-f", join(folder, "config")], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    kit.children.push(server);
    let log = "";
    server.stderr.on("data", (piece) => {
      log += String(piece);
    });
    try {
      await until(() => log.includes("Server listening"));
      // What a user has in ~/.ssh/config.
      const options = `-F none -p ${sshPort} -i '${folder}/client' -o StrictHostKeyChecking=no -o UserKnownHostsFile='${folder}/known' -o LogLevel=ERROR -o ExitOnForwardFailure=yes`;
      // One machine plays both: the port of the browser's side must be another one.
      const words = `$(printf '%s ' "$@" | sed 's/^-L ${redirectPort}:/-L ${nearPort}:/')`;
      script(join(folder, "here/ssh"), `exec ${program("ssh")} ${options} ${words}`);
      const login = spawn(
        process.execPath,
        [CLI, "auth-broker", "login", "acme", "--via", `${userInfo().username}@127.0.0.1`],
        {
          cwd: box.dir,
          env: { ...box.env, PATH: `${folder}/here:${box.env["PATH"]}` },
        },
      );
      kit.children.push(login);
      let [output, isSignedIn] = ["", false];
      const take = (piece: Buffer): void => {
        output += String(piece);
        const address = /^Open (\S+)$/m.exec(output)?.[1];
        if (!address || isSignedIn) return;
        isSignedIn = true;
        const back = new URL(new URL(address).searchParams.get("redirect_uri") ?? "");
        back.searchParams.set("state", new URL(address).searchParams.get("state") ?? "");
        back.searchParams.set("code", "code-1");
        expect(back.port).toBe(String(redirectPort));
        back.port = String(nearPort);
        void fetch(back);
      };
      login.stdout.on("data", take);
      login.stderr.on("data", take);
      const [code] = await once(login, "close");
      expect([code, output]).toEqual([0, expect.stringContaining("Stored for acme in the broker's vault.")]);
      const given = new Vault(join(there.home, ".lathe/broker")).store;
      expect(await given.get("acme")).toMatchObject({ access: "access-via", refresh: "refresh-via" });
      expect(vault().store.providers()).toEqual([]);
    } finally {
      signIn.close();
      signIn.closeAllConnections();
      server.kill();
      rmSync(folder, { recursive: true, force: true });
      await there.remove();
    }
  }, 60_000);
});
