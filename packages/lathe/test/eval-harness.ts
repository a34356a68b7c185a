// The kernels of a session over any environment, without a model.

import type { ExecutionEnvironment } from "@lathe/agent";
import type { CellEnd, CellLanguage } from "@lathe/agent/tools";
import type { JsonObject } from "@lathe/llm";
import { expect } from "vitest";
import { Kernels, type KernelsOptions } from "../src/additions/eval/kernels.ts";

export interface RanCell extends CellEnd {
  /** The tail of what it printed and displayed as text. */
  readonly text: string;
  readonly bytes: number;
  readonly shown: readonly JsonObject[];
}

const KEPT = 4000;

export class CellHarness {
  readonly kernels: Kernels;
  readonly #env: ExecutionEnvironment;

  constructor(env: ExecutionEnvironment, options: Partial<KernelsOptions> = {}) {
    this.#env = env;
    this.kernels = new Kernels({ isTrusted: () => true, ...options });
  }

  async run(
    language: CellLanguage,
    code: string,
    more: { timeoutMs?: number; reset?: boolean; env?: ExecutionEnvironment } = {},
  ): Promise<RanCell> {
    let text = "";
    let bytes = 0;
    const shown: JsonObject[] = [];
    const { env = this.#env, timeoutMs = 60_000, reset = false } = more;
    const end = await this.kernels.run(
      { language, code, timeoutMs, reset },
      {
        env,
        signal: new AbortController().signal,
        print: (printed) => {
          bytes += printed.length;
          text = (text + printed.subarray(-KEPT).toString("utf8")).slice(-KEPT);
        },
        show: (one) => {
          shown.push(one);
          text += `${one["plain"] ?? one["markdown"] ?? one["html"] ?? JSON.stringify(one["json"] ?? "")}\n`;
        },
        status: () => {},
        answer: async ({ what, args }) => (what === "width" ? 0 : { what, ...args }),
      },
    );
    return { ...end, text: text.trimEnd(), bytes, shown };
  }

  py = async (code: string): Promise<string> => (await this.run("py", code)).text;
  js = async (code: string): Promise<string> => (await this.run("js", code)).text;
}

/** What must hold in every environment. */
export async function checkCells(env: ExecutionEnvironment): Promise<void> {
  const cells = new CellHarness(env);
  await env.writeFile(`${env.workingDirectory()}/seen.txt`, "héllo\n");
  expect(await cells.py("import os\nx = 1\nopen('seen.txt', encoding='utf8').read() + os.getcwd()")).toBe(
    JSON.stringify(`héllo\n${env.workingDirectory()}`).replaceAll('"', "'"),
  );
  expect(await cells.run("py", "while True: pass", { timeoutMs: 100 })).toMatchObject({ status: "timed_out" });
  expect(await cells.py("os.system('echo out; echo err >&2')\nx")).toBe("out\nerr\n1");
  expect(await cells.py("tool.read(path='a')['path']")).toBe("'a'");
  expect(await cells.js("globalThis.y = 2; (await read('seen.txt')) + process.cwd()")).toBe(
    `héllo\n${env.workingDirectory()}`,
  );
  expect(await cells.run("js", "while (true) {}", { timeoutMs: 100 })).toMatchObject({ status: "timed_out" });
  expect(await cells.js("typeof y")).toBe("undefined");
  await cells.kernels.close();
}
