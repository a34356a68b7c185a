// One turn of a served session with a queued follow-up, of which a process is killed at one line of the session's
// journal, and the page that follows it: the fold of the real page, without a browser.

import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type ModelServer, type RecordedRequest, startModelServer, type Turn, turn } from "@lathe/testkit";
import { followSession } from "../../../web/src/live/follow-session.ts";
import { LOADING, reduceSession, type SessionView } from "../../../web/src/state/session.ts";
import { LatheClient, LatheServerError } from "../../src/doors/serve/client.ts";
import { TokenFile } from "../../src/doors/serve/guard/token-file.ts";
import { homePaths } from "../../src/platform/home/paths.ts";
import { type Sandbox, sandbox } from "../command.ts";

const PRELOAD = fileURLToPath(new URL("./die-as-told.cjs", import.meta.url));
const SAID = ["make it", "and more"] as const;

/** Which process is killed. */
export type Victim = "child" | "server" | "both";
const SIGN: Readonly<Record<Victim, string>> = { child: "", server: "s", both: "b" };

/** A call, its answer, and the answer to the follow-up; earlier steps are in the request. */
function script({ view }: RecordedRequest): Turn {
  const said = view.messages.filter(({ role, text }) => role === "user" && SAID.some((one) => text.includes(one)));
  // Whether it has just arrived or was resumed.
  if (said.at(-1)?.text.includes(SAID[1])) return turn.text("There is more.");
  const hasResult = view.messages.some(({ results }) => results.length > 0);
  return hasResult
    ? turn.text("It is made.")
    : turn.calls([{ name: "shell", args: { command: "echo made >> made.txt" } }]);
}

export class KilledServing {
  readonly box: Sandbox;
  readonly #model: ModelServer;
  readonly #servers: ChildProcessWithoutNullStreams[] = [];
  readonly #leaving = new AbortController();
  #url = "";
  client!: LatheClient;
  id = "";
  stderr = "";
  view: SessionView = LOADING;

  private constructor(box: Sandbox, model: ModelServer) {
    this.box = box;
    this.#model = model;
  }

  /** The session's process, its server or both die at this line of its journal, while the page follows it. */
  static open(victim: Victim, line: number): Promise<KilledServing> {
    return KilledServing.with(script, `${line}${SIGN[victim]}`);
  }

  /**
   * Server and session die at this line, and `again` more times at the first line that the session writes. No page
   * opens it meanwhile.
   */
  static openDying(line: number, again: number): Promise<KilledServing> {
    const die = [`${line}b`, ...Array.from({ length: again }, () => "1b")];
    return KilledServing.with(script, die.join(" "), { hasPage: false });
  }

  /** `die`: see die-as-told.cjs. */
  static async with(
    answers: (request: RecordedRequest) => Turn,
    die = "",
    { hasPage = true } = {},
  ): Promise<KilledServing> {
    const self = new KilledServing(await sandbox(), await startModelServer({ script: answers }));
    await self.start();
    const { box } = self;
    const tokens = new TokenFile(homePaths(box.env, box.home).serveTokens, Date.now);
    const { token } = await tokens.add({
      name: "page",
      scopes: ["read", "prompt", "approve", "admin"],
      lastsMs: 600_000,
    });
    self.client = new LatheClient({ url: self.#url, token });
    writeFileSync(join(box.dir, ".die"), die);
    self.id = await self.client.createSession({ cwd: box.dir, model: "openai/gpt-5.2", permissionMode: "full" });
    if (hasPage) void self.#follow();
    return self;
  }

  /** Starts the server at the previous one's address. */
  async start(): Promise<void> {
    const env = {
      OPENAI_API_KEY: "key",
      OPENAI_BASE_URL: this.#model.baseUrl("openai"),
      NODE_OPTIONS: `--require ${PRELOAD}`,
    };
    const port = this.#url === "" ? "0" : new URL(this.#url).port;
    const server = this.box.start(["serve", "--port", port], env);
    this.#servers.push(server);
    server.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    const [line] = (await once(createInterface({ input: server.stdout }), "line")) as [string];
    this.#url = /http:\S+/.exec(line)?.[0] ?? "";
  }

  /** Restarts the server as soon as it has died, as a supervisor does. */
  async startAgain(): Promise<void> {
    await this.serverDies();
    await this.start();
  }

  async serverDies(): Promise<void> {
    const server = this.#servers.at(-1);
    if (server && !this.#isServerDead) await once(server, "exit");
  }

  /** Sends the texts; resolves with those that were confirmed. */
  async say(): Promise<readonly string[]> {
    const confirmed: string[] = [];
    for (const [at, message] of SAID.entries()) {
      const sent = this.client.command(this.id, at === 0 ? "prompt" : "follow_up", { message });
      if (await hasSucceeded(sent)) confirmed.push(message);
    }
    return confirmed;
  }

  /** Sends again what the session does not have, and waits until nothing is left to do. */
  async finish(): Promise<"done" | "no session" | "server has died"> {
    for (;;) {
      const state = await this.#askUntilAnswered(() => this.client.command(this.id, "get_state"));
      if (state === undefined) return this.#isServerDead ? "server has died" : "no session";
      const { steering, followUp } = (await this.#askUntilAnswered(() =>
        this.client.command(this.id, "get_queue"),
      )) ?? {
        steering: [],
        followUp: [],
      };
      const isIdle = !state.isStreaming && !state.unfinishedInput && steering.length + followUp.length === 0;
      if (isIdle) {
        const users = await this.users();
        const missing = SAID.find((text) => !users.includes(text));
        if (missing === undefined) return "done";
        await hasSucceeded(this.client.command(this.id, "prompt", { message: missing }));
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  /** The user's messages of this session. */
  async users(): Promise<readonly string[]> {
    const { messages } = (await this.#askUntilAnswered(() => this.client.command(this.id, "get_messages"))) ?? {
      messages: [],
    };
    const texts = messages.flatMap(({ role, content }) =>
      role === "user" ? [content.flatMap((part) => ("text" in part ? [part.text] : [])).join("")] : [],
    );
    return texts.map((text) => SAID.find((said) => text.includes(said)) ?? text);
  }

  /** What a page draws, without time-dependent parts. */
  static drawnItems(view: SessionView): readonly object[] {
    return [...view.past, ...view.live.items].flatMap((item): object[] => {
      if (item.kind === "user" || item.kind === "text") return [{ kind: item.kind, text: item.text }];
      // Calls of the answer that have not begun are not shown.
      return item.kind === "call" && item.state !== "pending"
        ? [{ kind: "call", callId: item.callId, state: item.state }]
        : [];
    });
  }

  /** The view of a page that is opened now. */
  async fresh(): Promise<SessionView> {
    const { snapshot } = await this.client.openSession(this.id);
    const page = await this.client.command(this.id, "get_entries", { before: null, limit: 500 });
    return reduceSession(LOADING, { type: "opened", snapshot, page });
  }

  /** The messages in the journal's file, on the branch that is shown. */
  async journal(): Promise<readonly object[]> {
    const { sessionFile } = await this.client.command(this.id, "get_state");
    const lines = readFileSync(sessionFile ?? "", "utf8")
      .trimEnd()
      .split("\n");
    return lines.map((line) => JSON.parse(line) as object).filter((line) => "type" in line && line.type === "message");
  }

  madeText(): string {
    try {
      return readFileSync(join(this.box.dir, "made.txt"), "utf8");
    } catch {
      return "";
    }
  }

  /** Kills the server and its sessions' processes at once. */
  async kill(): Promise<void> {
    const server = this.#servers.at(-1);
    if (!server) return;
    for (const pid of this.processes()) process.kill(Number(pid), "SIGKILL");
    if (!this.#isServerDead) await once(server, "exit");
  }

  async stop(): Promise<void> {
    this.#leaving.abort();
    const server = this.#servers.at(-1);
    if (!server || this.#isServerDead) return;
    server.kill("SIGTERM");
    await once(server, "exit");
  }

  /** Processes of this home. */
  processes(): readonly string[] {
    return readdirSync("/proc").filter(
      (pid) => /^\d+$/.test(pid) && environmentOf(pid).includes(`LATHE_HOME=${this.box.home}/`),
    );
  }

  async remove(): Promise<void> {
    this.#leaving.abort();
    for (const server of this.#servers) server.kill("SIGKILL");
    await this.#model.close();
    await this.box.remove();
  }

  #follow(): Promise<void> {
    const { client, id } = this;
    const dispatch = (action: Parameters<typeof reduceSession>[1]): void => {
      this.view = reduceSession(this.view, action);
    };
    return followSession({ client, id, dispatch, onOtherSession: () => {} }, this.#leaving.signal);
  }

  get #isServerDead(): boolean {
    const server = this.#servers.at(-1);
    return server?.exitCode !== null || server.signalCode !== null;
  }

  /** Repeats a request until it is answered; undefined if there is no such session, or the server has died. */
  async #askUntilAnswered<T>(ask: () => Promise<T>): Promise<T | undefined> {
    while (!this.#isServerDead) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof LatheServerError)) throw error;
        if (error.code === "unknown_session") return undefined;
        if (error.status !== 0 && error.status < 500 && error.code !== "closed") throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
    return undefined;
  }
}

const hasSucceeded = (sent: Promise<unknown>): Promise<boolean> =>
  sent.then(
    () => true,
    () => false,
  );

function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return ""; // it has ended meanwhile
  }
}
