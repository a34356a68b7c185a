// The breakpoints of a session. The protocol sets all of a kind at once, so they are stored here and sent together.

import { ToolFailure } from "@lathe/agent";
import type { DebugProtocol } from "@vscode/debugprotocol";
import type { RequestOptions } from "./adapter-link.ts";

interface Asker {
  readonly name: string;
  readonly capabilities: DebugProtocol.Capabilities;
  ask<Body>(command: string, args?: object, options?: RequestOptions): Promise<Body>;
}

type Answer = { readonly breakpoints?: readonly DebugProtocol.Breakpoint[] };

export class Breakpoints {
  readonly files = new Map<string, DebugProtocol.SourceBreakpoint[]>();
  functions: readonly DebugProtocol.FunctionBreakpoint[] = [];
  instructions: readonly DebugProtocol.InstructionBreakpoint[] = [];
  data: readonly DebugProtocol.DataBreakpoint[] = [];

  /** Replaces a breakpoint on the same line. */
  addLine(path: string, breakpoint: DebugProtocol.SourceBreakpoint): void {
    const others = (this.files.get(path) ?? []).filter(({ line }) => line !== breakpoint.line);
    this.files.set(
      path,
      [...others, breakpoint].sort((a, b) => a.line - b.line),
    );
  }

  removeLine(path: string, line: number): void {
    const kept = (this.files.get(path) ?? []).filter((one) => one.line !== line);
    if (kept.length === this.files.get(path)?.length || !this.files.has(path))
      throw new ToolFailure(`There is no breakpoint at ${path}:${line}.`);
    this.files.set(path, kept);
  }

  async sendAll(session: Asker, options: RequestOptions): Promise<void> {
    for (const path of this.files.keys()) await this.sendFile(path, session, options);
  }

  async sendFile(path: string, session: Asker, options: RequestOptions): Promise<readonly DebugProtocol.Breakpoint[]> {
    const breakpoints = this.files.get(path) ?? [];
    const source = { path, name: path.split("/").at(-1) };
    const { breakpoints: set = [] } = await session.ask<Answer>("setBreakpoints", { source, breakpoints }, options);
    return set;
  }

  async sendFunctions(session: Asker, options: RequestOptions): Promise<readonly DebugProtocol.Breakpoint[]> {
    return send(session, "setFunctionBreakpoints", { breakpoints: this.functions }, options);
  }

  async sendInstructions(session: Asker, options: RequestOptions): Promise<readonly DebugProtocol.Breakpoint[]> {
    return send(session, "setInstructionBreakpoints", { breakpoints: this.instructions }, options);
  }

  async sendData(session: Asker, options: RequestOptions): Promise<readonly DebugProtocol.Breakpoint[]> {
    return send(session, "setDataBreakpoints", { breakpoints: this.data }, options);
  }
}

async function send(
  session: Asker,
  command: string,
  args: object,
  options: RequestOptions,
): Promise<readonly DebugProtocol.Breakpoint[]> {
  const { breakpoints = [] } = await session.ask<Answer>(command, args, options);
  return breakpoints;
}
