// A server's messages about itself, such as that it cannot read its configuration. It may keep running and find
// nothing, and then its silence about a file means little.

import { visibleLine } from "@lathe/agent/base";
import type { ExecutionEnvironment } from "@lathe/agent/world";
import { stampOf } from "./project-changes.ts";
import type { ServerRow } from "./server-row.ts";

const ERROR = 1;
const WARNING = 2;
const LONGEST = 300;

export class ServerComplaints {
  readonly #env: ExecutionEnvironment;
  /** The server's configuration files. */
  readonly #files: readonly string[];
  #configuration = "";
  #shown: string | undefined;
  #logged: string | undefined;

  constructor({ rootMarkers }: ServerRow, root: string, env: ExecutionEnvironment) {
    this.#files = rootMarkers.filter((marker) => !marker.includes("*")).map((marker) => `${root}/${marker}`);
    this.#env = env;
  }

  take(method: string, { type, message }: Readonly<Record<string, unknown>>): void {
    if (typeof message !== "string") return;
    const text = visibleLine(message).slice(0, LONGEST);
    if (method === "window/showMessage" && (type === ERROR || type === WARNING)) this.#shown = text;
    if (method === "window/logMessage" && type === ERROR) this.#logged = text;
  }

  /**
   * Forgets the complaints if the configuration has changed, because the server reads it again. Returns whether there
   * were any.
   */
  async review(): Promise<boolean> {
    const stamps = await Promise.all(this.#files.map(async (path) => stampOf(await this.#env.stat(path))));
    const configuration = stamps.join();
    if (configuration === this.#configuration) return false;
    this.#configuration = configuration;
    const hadAny = this.text(false) !== undefined;
    this.#shown = undefined;
    this.#logged = undefined;
    return hadAny;
  }

  /**
   * `hasAnswered`: whether the server works. If it does, its log does not count, because it also has harmless errors.
   */
  text(hasAnswered: boolean): string | undefined {
    return this.#shown ?? (hasAnswered ? undefined : this.#logged);
  }
}
