// A real MCP client of the built coordinator, with the test's own tmux server, home and model server.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Script } from "@lathe/testkit";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { CLI } from "./command.ts";
import { type Stage, stage } from "./contract-kit.ts";
import { TmuxServer } from "./tmux-kit.ts";

export type Reply = Record<string, never> & {
  readonly ok: boolean;
  readonly error?: { code: string; message: string };
};

export class CoordinatorBench {
  readonly scene: Stage;
  readonly tmux = new TmuxServer();
  readonly project: string;
  readonly #clients = new Set<CoordinatorClient>();

  private constructor(scene: Stage) {
    this.scene = scene;
    this.project = scene.box.dir;
  }

  static async open(script: Script): Promise<CoordinatorBench> {
    const scene = await stage(script);
    mkdirSync(join(scene.box.home, "state"));
    return new CoordinatorBench(scene);
  }

  /** Variables that allow everything. */
  get allowed(): Record<string, string> {
    return {
      LATHE_COORDINATOR_MCP_WORKDIR_ROOTS: this.project,
      LATHE_COORDINATOR_MCP_MUTATIONS: "all",
      LATHE_COORDINATOR_MCP_SESSION_COMMAND: `lathe ${this.scene.args.join(" ")}`,
      LATHE_COORDINATOR_MCP_STATE_ROOT: join(this.scene.box.home, "state"),
    };
  }

  env(more: Record<string, string> = this.allowed): Record<string, string> {
    return { ...this.scene.box.env, ...this.scene.env, LATHE_TMUX_SOCKET: this.tmux.socket, ...more };
  }

  async connect(more?: Record<string, string>): Promise<CoordinatorClient> {
    const client = await CoordinatorClient.open(this.env(more), this.project);
    this.#clients.add(client);
    return client;
  }

  get eventFile(): string {
    return join(this.scene.box.home, "state/default/default/events/event-journal.jsonl");
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clients].map((client) => client.close()));
    this.tmux.close();
    await this.scene.close();
  }
}

export class CoordinatorClient {
  readonly client: Client;
  readonly pid: number;

  private constructor(client: Client, transport: StdioClientTransport) {
    this.client = client;
    this.pid = transport.pid ?? 0;
  }

  static async open(env: Record<string, string>, cwd: string): Promise<CoordinatorClient> {
    const client = new Client({ name: "test", version: "1" });
    const args = [CLI, "mcp-serve", "coordinator"];
    const transport = new StdioClientTransport({ command: process.execPath, args, env, cwd });
    await client.connect(transport);
    return new CoordinatorClient(client, transport);
  }

  async call(name: string, args: Record<string, unknown> = {}): Promise<Reply> {
    const result = await this.client.callTool({ name: `lathe_coordinator_${name}`, arguments: args });
    const reply = result.structuredContent as Reply;
    if ((result.isError ?? false) === reply.ok) throw new Error(`isError does not fit: ${JSON.stringify(result)}`);
    return reply;
  }

  /** Calls a tool with `allow_mutation`. Rejects if it is refused. */
  async change(name: string, args: Record<string, unknown>): Promise<Reply> {
    const reply = await this.call(name, { ...args, allow_mutation: true });
    if (!reply.ok) throw new Error(`${name}: ${JSON.stringify(reply.error)}`);
    return reply;
  }

  /** The code of a refusal. */
  async refusalCode(name: string, args: Record<string, unknown> = {}): Promise<string> {
    const { ok, error } = await this.call(name, args);
    return ok ? "" : (error?.code ?? "");
  }

  async kill(): Promise<void> {
    process.kill(this.pid, "SIGKILL");
    await this.close();
  }

  close(): Promise<void> {
    return this.client.close();
  }
}
