// A running command whose lines are read one by one; every wait has a deadline.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

const WITHIN_MS = 30_000;

export class Started {
  constructor(cli, args, env = {}) {
    this.child = spawn(process.execPath, [cli, ...args], { env: { ...process.env, ...env } });
    this.stderr = "";
    this.child.stderr.setEncoding("utf8").on("data", (text) => {
      this.stderr += text;
    });
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
    this.timer = setTimeout(() => this.child.kill("SIGKILL"), WITHIN_MS);
    this.ended = once(this.child, "close");
  }

  send(message) {
    this.child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** The next matching line of stdout; every line must be JSON. */
  async line(what, fits) {
    for (let next = await this.lines.next(); !next.done; next = await this.lines.next()) {
      const value = JSON.parse(next.value);
      if (fits(value)) return value;
    }
    throw new Error(`ended before ${what}. ${this.stderr}`);
  }

  /** Ends the input or sends the signal, and returns the exit code. The rest of stdout must be JSON, too. */
  async end(signal) {
    if (signal) this.child.kill(signal);
    else this.child.stdin.end();
    for (let next = await this.lines.next(); !next.done; next = await this.lines.next()) JSON.parse(next.value);
    const [code] = await this.ended;
    clearTimeout(this.timer);
    return code;
  }
}

/** Runs the command to its end: exit code, stdout, stderr. */
export async function ran(cli, args, env = {}) {
  const child = spawn(process.execPath, [cli, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: WITHIN_MS,
  });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"])
    child[name].setEncoding("utf8").on("data", (text) => {
      said[name] += text;
    });
  const [code] = await once(child, "close");
  return { code, ...said };
}
