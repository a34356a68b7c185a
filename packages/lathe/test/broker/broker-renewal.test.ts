// What the broker renews and when, and what it does when an issuer refuses, is silent, or the clock jumps.

import { execFileSync } from "node:child_process";
import { mkdirSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Checker } from "@lathe/llm/schema";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  brokerCredential,
  disabledCredential,
  type Snapshot,
  snapshot,
} from "../../src/config/credentials/broker/wire.ts";
import { sandbox } from "../command.ts";
import { canMount, withTmpfs } from "../tmpfs.ts";
import {
  type BrokerBench,
  brokerBench,
  HOUR,
  type Reply,
  refusingIssuer,
  rotatingIssuer,
  stateOf,
} from "./broker-bench.ts";

let b: BrokerBench;
beforeEach(async () => {
  b = await brokerBench();
});
afterEach(() => b.close());

describe("AU-02 what the broker renews", () => {
  it("AU-02 a token is renewed 5 minutes before its end, once, and clients hear of it", async () => {
    await using test = await b.start({ stored: [b.token("acme"), b.token("beta", b.clock + 10 * HOUR)] });
    const follower = test.follow();
    const { snapshot: first } = await follower.next("snapshot");
    b.pass(54 * 60_000);
    expect(b.issuer.forms).toEqual([]);
    b.pass(2 * 60_000);
    const changed = await follower.next("changed");
    expect(changed.credential).toMatchObject({ provider: "acme", id: first.credentials[0]?.id });
    expect(changed.credential.credential).toMatchObject({ access: "access-1" });
    expect(changed.generation).toBe(first.generation + 1);
    expect(b.issuer.forms).toEqual([
      { grant_type: "refresh_token", refresh_token: "refresh-of-acme", client_id: "lathe" },
    ]);
    expect(await test.vault.store.get("acme")).toMatchObject({ refresh: "next-1" });
    follower.leave();
  });

  it("AU-02 a lifetime that is a fraction, beyond all calendars or no number breaks neither clients nor lists", async () => {
    await using test = await b.start({ stored: [b.token("acme")] });
    const id = await test.idOf("acme");
    for (const expires_in of [3600.123_456_7, 1e300, "soon"]) {
      b.issuer.answer = refusingIssuer(200, { access_token: `for-${expires_in}`, refresh_token: "next", expires_in });
      b.pass(20_000);
      const renewed = await test.post(`/v1/credential/${id}/refresh`);
      expect(JSON.parse(renewed.text).credential?.access).toBe(`for-${expires_in}`);
      const shown = JSON.parse((await test.ask("/v1/snapshot")).text);
      expect(new Checker(snapshot).wrongIn(shown)).toBeUndefined();
      const list = await test.box.run(["auth-broker", "list"]);
      expect([list.code, list.stderr]).toEqual([0, ""]);
    }
  });

  it("M2 a file of tokens that cannot be read ends streams, not the broker", async () => {
    await using test = await b.start({ stored: [b.token("acme", b.clock + 10 * HOUR)] });
    const follower = test.follow();
    await follower.next("snapshot");
    rmSync(test.own.file);
    mkdirSync(test.own.file);
    b.pass(16_000);
    await follower.ended;
    expect((await test.ask("/v1/snapshot")).status).toBe(500);
    rmdirSync(test.own.file);
    writeFileSync(test.own.file, test.token, { mode: 0o600 });
    expect((await test.ask("/v1/snapshot")).status).toBe(200);
  });

  it("AU-02 one refresh at a time: clients and the refresher share it, and its answer serves the late ones", async () => {
    await using test = await b.start({ stored: [b.token("acme")] });
    let answer = (): void => {};
    const asked = new Promise<void>((resolve) => {
      const reply = rotatingIssuer();
      b.issuer.answer = async (form) => {
        resolve();
        await new Promise<void>((go) => {
          answer = go;
        });
        return reply(form);
      };
    });
    const id = await test.idOf("acme");
    const early = [1, 2, 3].map(() => test.post(`/v1/credential/${id}/refresh`));
    await asked;
    b.pass(HOUR);
    expect(await stateOf(test, "acme")).toMatchObject({ state: "renewing" });
    answer();
    const answers = await Promise.all(early);
    answers.push(await test.post(`/v1/credential/${id}/refresh`));
    for (const { status, text } of answers) {
      expect([status, JSON.parse(text).id]).toEqual([200, id]);
      expect(new Checker(brokerCredential).wrongIn(JSON.parse(text))).toBeUndefined();
      expect(JSON.parse(text).credential.access).toBe("access-1");
    }
    expect(b.issuer.forms).toHaveLength(1);
    // Later it is a wish of its own.
    b.pass(20_000);
    b.issuer.answer = rotatingIssuer();
    await test.post(`/v1/credential/${id}/refresh`);
    expect(b.issuer.forms.map((form) => form["refresh_token"])).toEqual(["refresh-of-acme", "next-1"]);
  });

  it("AU-02 invalid_grant, a refusal without a reason and revoked tokens leave by the next event, with their cause", async () => {
    for (const [status, body, cause] of [
      [
        400,
        { error: "invalid_grant", error_description: "used refresh-of-acme\r\nevent: x" },
        "invalid_grant: used … event: x",
      ],
      [400, { error: "invalid_token" }, "invalid_token"],
      [400, { error: { code: "refresh_token_reused", message: "Again?" } }, "refresh_token_reused: Again?"],
      [400, { error: "token_revoked" }, "token_revoked"],
      [401, "", "the issuer answered with status 401 and no reason"],
      [403, "{}", "the issuer answered with status 403 and no reason"],
    ] as const) {
      await using test = await b.start({ stored: [b.token("acme")] });
      const follower = test.follow();
      await follower.next("snapshot");
      b.issuer.answer = refusingIssuer(status, body);
      b.pass(56 * 60_000);
      const event = await follower.next();
      expect(event).toMatchObject({
        kind: "disabled",
        credential: { provider: "acme", type: "oauth", cause, at: b.clock },
      });
      const now = JSON.parse((await test.ask("/v1/snapshot")).text) as Snapshot;
      expect([now.credentials, now.disabled]).toMatchObject([[], [{ cause }]]);
      expect(await stateOf(test, "acme")).toMatchObject({ state: "disabled", cause });
      const asked = b.issuer.forms.length;
      const again = await test.post(`/v1/credential/${event.kind === "disabled" ? event.credential.id : ""}/refresh`);
      expect(new Checker(disabledCredential).wrongIn(JSON.parse(again.text))).toBeUndefined();
      b.pass(10 * 60_000);
      expect(b.issuer.forms).toHaveLength(asked);
      expect(test.log()).not.toContain("refresh-of-acme");
      follower.leave();
      b.clock -= 66 * 60_000;
    }
  });

  it("AU-02 an issuer that is down, hangs up, is busy or hides behind a page costs no credential", async () => {
    for (const reply of [
      { body: "" },
      { status: 500, body: "{}" },
      { status: 429, body: '{"error":"slow_down"}' },
      { status: 200, body: "not json" },
      { status: 200, body: '{"access_token":""}' },
      { status: 403, body: "<html>Sign in to this network</html>" },
      { status: 400, body: '{"error":"temporarily_unavailable"}' },
    ] as Reply[]) {
      await using test = await b.start({ stored: [b.token("acme")] });
      b.issuer.answer = () => reply;
      const id = await test.idOf("acme");
      const answer = await test.post(`/v1/credential/${id}/refresh`);
      expect([reply, answer.status, JSON.parse(answer.text).error.code]).toEqual([reply, 502, "issuer_failed"]);
      expect(await stateOf(test, "acme")).toMatchObject({ state: "failing", cause: expect.stringMatching(/./) });
      const still = JSON.parse((await test.ask("/v1/snapshot")).text) as Snapshot;
      expect(still.credentials).toHaveLength(1);
      // It works again: no trace of the failure is left.
      b.issuer.answer = rotatingIssuer();
      expect((await test.post(`/v1/credential/${id}/refresh`)).status).toBe(200);
      expect(await stateOf(test, "acme")).toMatchObject({ state: "good" });
    }
    await using test = await b.start({ stored: [b.token("acme")] });
    b.issuer.server.close();
    b.issuer.server.closeAllConnections();
    const answer = await test.post(`/v1/credential/${await test.idOf("acme")}/refresh`);
    expect([answer.status, answer.text]).toEqual([502, expect.stringContaining("ECONNREFUSED")]);
    expect(await test.vault.store.get("acme")).toMatchObject({ refresh: "refresh-of-acme" });
  });

  it("AU-02 a second broker of the vault is refused, and the first one's renewal is the only one", async () => {
    await using test = await b.start({ stored: [b.token("acme")] });
    const second = await test.box.run(["auth-broker", "serve", "--bind", "127.0.0.1:0"]);
    expect([second.code, second.stderr]).toEqual([
      2,
      expect.stringMatching(/^lathe: Another broker of this vault is running\..*\n$/),
    ]);
    b.pass(56 * 60_000);
    await expect.poll(() => b.issuer.forms.length).toBe(1);
  });

  it("AU-02 a clock that jumps loses nothing: forward renews once, backward waits for a client to ask", async () => {
    await using test = await b.start({ stored: [b.token("acme")] });
    const follower = test.follow();
    await follower.next("snapshot");
    b.clock += 400 * 24 * HOUR;
    b.pass(60_000);
    await follower.next("changed");
    expect(await stateOf(test, "acme")).toMatchObject({ state: "good" });
    b.clock -= 800 * 24 * HOUR;
    // Its timers go by another b.clock.
    b.restartTimers();
    b.pass(10 * 60_000);
    expect(b.issuer.forms).toHaveLength(1);
    const { status } = await test.post(`/v1/credential/${await test.idOf("acme")}/refresh`);
    expect([status, b.issuer.forms.length]).toEqual([200, 2]);
    expect(await test.vault.store.get("acme")).toMatchObject({ refresh: "next-2" });
    follower.leave();
  });

  it.skipIf(!canMount)(
    "AU-02 a disk that breaks while the issuer answers: clients get the token, and it is written when that works (needs mount)",
    async () => {
      const box = await sandbox();
      const remount = (how: string) => execFileSync("mount", ["-o", `remount,${how}`, join(box.home, ".lathe/broker")]);
      await withTmpfs(join(box.home, ".lathe/broker"), "1m", async () => {
        await using test = await b.start({ box, stored: [b.token("acme")] });
        const reply = rotatingIssuer();
        b.issuer.answer = (form) => {
          remount("ro");
          return reply(form);
        };
        const answer = await test.post(`/v1/credential/${await test.idOf("acme")}/refresh`);
        expect([answer.status, JSON.parse(answer.text).credential.access]).toEqual([200, "access-1"]);
        expect(await stateOf(test, "acme")).toMatchObject({
          state: "unsaved",
          cause: expect.stringContaining("EROFS"),
        });
        expect(await test.vault.store.get("acme")).toMatchObject({ refresh: "refresh-of-acme" });
        remount("rw");
        await expect
          .poll(async () => {
            b.pass(1_000);
            return test.vault.store.get("acme");
          })
          .toMatchObject({ access: "access-1", refresh: "next-1" });
        expect(await stateOf(test, "acme")).toMatchObject({ state: "good" });
        expect(b.issuer.forms).toHaveLength(1);
      });
      await box.remove();
    },
  );
});
