// The scripts that a Node program has loaded, and breakpoints in them. A script with a source map stops before its
// first line, so that breakpoints on lines of TypeScript can be mapped and set in time.

import { posix } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ExecutionEnvironment } from "@lathe/agent/world";
import type { JsonObject } from "@lathe/llm";
import type { DebugProtocol } from "@vscode/debugprotocol";
import type { Inspector } from "./inspector.ts";
import { type Place, SourceMap } from "./source-map.ts";

interface Script {
  readonly url: string;
  /** Undefined if the script has no file. */
  readonly path: string | undefined;
  readonly map: Promise<SourceMap | undefined>;
}

export interface NodeBreakpoint {
  readonly asked: DebugProtocol.SourceBreakpoint;
  hits: number;
}

interface FileBreakpoints {
  readonly breakpoints: readonly NodeBreakpoint[];
  /** Ids that the inspector gave the breakpoints. */
  ids: string[];
}

export class NodeScripts {
  readonly #env: ExecutionEnvironment;
  readonly #inspector: () => Inspector;
  readonly #scripts = new Map<string, Script>();
  readonly #files = new Map<string, FileBreakpoints>();
  readonly #byId = new Map<string, NodeBreakpoint>();

  constructor(env: ExecutionEnvironment, inspector: () => Inspector) {
    this.#env = env;
    this.#inspector = inspector;
  }

  get paths(): readonly string[] {
    return [...new Set([...this.#scripts.values()].flatMap(({ path }) => path ?? []))];
  }

  breakpoint(id: string): NodeBreakpoint | undefined {
    return this.#byId.get(id);
  }

  add({ scriptId, url, sourceMapURL }: JsonObject): void {
    const name = String(url);
    if (name === "") return;
    const path = name.startsWith("file:") ? fileURLToPath(name) : posix.isAbsolute(name) ? name : undefined;
    this.#scripts.set(String(scriptId), { url: name, path, map: this.#readMap(String(sourceMapURL ?? ""), path) });
  }

  /** Sets the breakpoints of a script with a source map that is about to run. */
  async beginScript(id: string): Promise<void> {
    const map = await this.#scripts.get(id)?.map;
    for (const path of map?.sources ?? []) if (this.#files.has(path)) await this.#place(path);
  }

  async setBreakpoints(
    path: string,
    asked: readonly DebugProtocol.SourceBreakpoint[],
  ): Promise<DebugProtocol.Breakpoint[]> {
    await this.#forget(path);
    this.#files.set(path, { breakpoints: asked.map((one) => ({ asked: one, hits: 0 })), ids: [] });
    return this.#place(path);
  }

  urlOf(id: string): string {
    return this.#scripts.get(id)?.url ?? "";
  }

  /** The original source position of a place in a script. */
  async originalPlace(id: string, at: Place): Promise<{ readonly path: string; readonly at: Place } | undefined> {
    const script = this.#scripts.get(id);
    return (
      (await script?.map)?.originalPlace(at) ?? (script?.path === undefined ? undefined : { path: script.path, at })
    );
  }

  // ---- internals ----

  /** Sets all breakpoints of a file: in the scripts compiled from it, or in the file's own script. */
  async #place(path: string): Promise<DebugProtocol.Breakpoint[]> {
    const { breakpoints } = this.#files.get(path)!;
    await this.#forget(path);
    const file: FileBreakpoints = { breakpoints, ids: [] };
    this.#files.set(path, file);
    const mapped: { readonly url: string; readonly map: SourceMap }[] = [];
    for (const { url, map } of this.#scripts.values()) {
      const read = await map;
      if (read?.sources.includes(path)) mapped.push({ url, map: read });
    }
    return Promise.all(
      breakpoints.map(async (breakpoint): Promise<DebugProtocol.Breakpoint> => {
        const line = breakpoint.asked.line - 1;
        const places = mapped.flatMap(({ url, map }) => {
          const found = map.generatedPlace(path, line);
          return found ? [{ urlRegex: exactPattern([url]), at: found.at, line: found.line }] : [];
        });
        const urls = exactPattern([path, pathToFileURL(path).href]);
        const targets = mapped.length > 0 ? places : [{ urlRegex: urls, at: { line, column: 0 }, line }];
        let found: number | undefined;
        for (const target of targets) {
          const actual = await this.#set(target.urlRegex, target.at, breakpoint, file);
          if (actual !== undefined) found = mapped.length > 0 ? target.line : actual;
        }
        return found === undefined
          ? { verified: false, line: line + 1, message: "no script with this line is loaded yet" }
          : { verified: true, line: found + 1 };
      }),
    );
  }

  /** Returns the line at which a loaded script really has the breakpoint. */
  async #set(
    urlRegex: string,
    at: Place,
    breakpoint: NodeBreakpoint,
    file: FileBreakpoints,
  ): Promise<number | undefined> {
    const { condition = "" } = breakpoint.asked;
    const { breakpointId, locations } = await this.#inspector().send("Debugger.setBreakpointByUrl", {
      urlRegex,
      lineNumber: at.line,
      columnNumber: at.column,
      condition,
    });
    file.ids.push(String(breakpointId));
    this.#byId.set(String(breakpointId), breakpoint);
    const [first] = (locations ?? []) as { readonly lineNumber: number }[];
    return first?.lineNumber;
  }

  async #forget(path: string): Promise<void> {
    for (const breakpointId of this.#files.get(path)?.ids ?? []) {
      this.#byId.delete(breakpointId);
      await this.#inspector().send("Debugger.removeBreakpoint", { breakpointId });
    }
  }

  /** A script whose map cannot be read is treated as unmapped. */
  async #readMap(address: string, path: string | undefined): Promise<SourceMap | undefined> {
    if (address === "" || path === undefined) return undefined;
    try {
      const [, isBase64, data] = /^data:[^,]*?(;base64)?,(.*)$/s.exec(address) ?? [];
      if (data !== undefined)
        return SourceMap.parse(
          isBase64 ? Buffer.from(data, "base64").toString("utf8") : decodeURIComponent(data),
          path,
        );
      const file = fileURLToPath(new URL(address, pathToFileURL(path)));
      return SourceMap.parse(await this.#env.readFile(file), file);
    } catch {
      return undefined;
    }
  }
}

const exactPattern = (names: readonly string[]): string =>
  `^(?:${names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})$`;
