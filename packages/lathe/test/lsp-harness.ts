// The language servers of a session in any environment, without a model: an agent's requests, called directly.

import { dirname, join } from "node:path";
import type { ExecutionEnvironment } from "@lathe/agent";
import type { LspQuestion, Refactoring } from "@lathe/agent/tools";
import { expect } from "vitest";
import { Answers } from "../src/additions/lsp/answers.ts";
import { ErrorsAfterEdit } from "../src/additions/lsp/errors-after-edit.ts";
import { LanguageServers } from "../src/additions/lsp/language-servers.ts";
import { Refactorings } from "../src/additions/lsp/refactorings.ts";
import type { ServerRow } from "../src/additions/lsp/server-row.ts";
import type { LanguageProject } from "./lsp-projects.ts";

const signal = new AbortController().signal;

export class LspHarness {
  readonly servers: LanguageServers;
  readonly refactorings: Refactorings;
  readonly warnings: string[] = [];
  readonly #answers: Answers;
  readonly #errors: ErrorsAfterEdit;
  readonly #env: ExecutionEnvironment;
  readonly #contents = new Map<string, string>();

  constructor(rows: readonly ServerRow[], env: ExecutionEnvironment) {
    this.#env = env;
    const mayShow = (): boolean => true;
    this.servers = new LanguageServers({
      rows,
      isTrusted: () => true,
      now: () => 0,
      warn: (message) => this.warnings.push(message),
    });
    this.refactorings = new Refactorings(this.servers);
    this.#answers = new Answers({ servers: this.servers, mayShow, refactorings: this.refactorings });
    this.#errors = new ErrorsAfterEdit({
      servers: this.servers,
      mayShow,
      contentOf: (hash) => Buffer.from(this.#contents.get(hash) ?? ""),
    });
  }

  static async open(project: Pick<LanguageProject, "row" | "files">, env: ExecutionEnvironment): Promise<LspHarness> {
    for (const [name, text] of Object.entries(project.files)) {
      const path = join(env.workingDirectory(), name);
      await env.execCommand(`mkdir -p '${dirname(path)}'`, 10_000);
      await env.writeFile(path, text);
    }
    return new LspHarness([project.row], env);
  }

  ask(question: LspQuestion): Promise<string> {
    return this.#answers.answer(this.#withLocation(question), this.#env, signal);
  }

  async plan(question: LspQuestion): Promise<Refactoring> {
    const plan = await this.refactorings.plan(this.#withLocation(question), this.#env, signal);
    if ("run" in plan) throw new Error(`${plan.command} is a command`);
    return plan;
  }

  /** Writes the file as a tool would, and returns what the model reads about errors. */
  async edit(name: string, text: string): Promise<string> {
    const path = join(this.#env.workingDirectory(), name);
    const sha256 = `${this.#contents.size}`;
    this.#contents.set(sha256, await this.#env.readFile(path));
    await this.#env.writeFile(path, text);
    const change = { path, before: { sha256, bytes: 1 }, after: { sha256: "", bytes: 1 }, added: 1, removed: 1 };
    const result = await this.#errors.after({ content: [], changes: [change] }, this.#env, signal);
    return (result?.content ?? []).map((part) => (part.kind === "text" ? part.text : "")).join("\n");
  }

  async close(): Promise<void> {
    await this.servers.close();
    await this.#errors.close();
  }

  #withLocation(question: LspQuestion): LspQuestion {
    const { file } = question;
    return file === undefined || file === "*"
      ? question
      : { ...question, file: join(this.#env.workingDirectory(), file) };
  }
}

/** Requests that every language server must answer, in any environment. */
export async function checkLanguage(project: LanguageProject, env: ExecutionEnvironment): Promise<void> {
  const { files, use, definition, references, hover, broken, fixed } = project;
  const lsp = await LspHarness.open(project, env);
  const [file, line] = use;
  const place = { file, line, symbol: "greet" };
  const wait = { timeoutMs: 60_000 };
  try {
    // Asked right after a cold start.
    const plan = await lsp.plan({ action: "rename", ...place, newName: "hail", ...wait });
    const renamed = plan.files.map((one) => [one.path, one.edits.map(({ start }) => one.seen.slice(start, start + 5))]);
    expect(Object.fromEntries(renamed)).toEqual(
      Object.fromEntries(
        Object.entries(files).flatMap(([name, content]) => {
          const names = content.match(/\bgreet\b/g);
          return names ? [[name, names]] : [];
        }),
      ),
    );
    expect(await lsp.ask({ action: "definition", ...place, ...wait })).toBe(definition);
    expect(await lsp.ask({ action: "hover", ...place, ...wait })).toContain(hover);
    const found = (await lsp.ask({ action: "references", ...place, ...wait })).split("\n");
    expect(found.map((one) => one.split("  ")[0]).sort()).toEqual(references);
    if (project.unmoved)
      await expect(lsp.plan({ action: "rename_file", file, newName: "c.py" })).rejects.toThrow(project.unmoved);
    const [edited, text, ...said] = broken;
    // A file without errors gives no message.
    expect(await settledEdit(lsp, edited, `${files[edited]}\n`)).toBe("");
    const errors = await settledEdit(lsp, edited, text);
    for (const part of said) expect(errors).toContain(part);
    expect((await settledEdit(lsp, edited, files[edited] ?? "")).trim().split("\n").sort()).toEqual([...fixed].sort());
    expect(lsp.warnings).toEqual([]);
  } finally {
    await lsp.close();
  }
}

/** On a busy machine errors may arrive late, with the next result. */
export async function settledEdit(lsp: LspHarness, name: string, text: string): Promise<string> {
  let said = await lsp.edit(name, text);
  for (let tries = 0; said.includes("no answer") && tries < 5; tries++) said = await lsp.edit(name, text);
  return said;
}
