// Checks the requirements of an installation. `wrong` stops runs; `missing` only costs a convenience.

import { execFile } from "node:child_process";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { LocalEnvironment } from "@lathe/agent";
import { locateRipgrep, onPath, SandboxedLocalEnvironment } from "@lathe/agent/world";
import { providerRows } from "@lathe/llm/providers";
import { installedAdapters } from "../../additions/dap/find-adapter.ts";
import { findCredential } from "../../config/credentials/resolve.ts";
import { signInCommand } from "../../config/credentials/source.ts";
import { isTrusted } from "../../config/trust/trust.ts";
import type { SessionWorkspace } from "../../conversation/session-workspace.ts";
import { Run } from "../../hosts/run.ts";
import { cloudSign, credentialQuery, credentialSources } from "../../models/credentials.ts";
import { readModelsFiles } from "../../models/file.ts";
import { type HomePaths, homePaths } from "../../platform/home/paths.ts";
import type { Machine } from "../../platform/machine/machine.ts";
import { staleLock } from "../../sessions/check.ts";
import { allJournals } from "../../sessions/files.ts";
import { countOf } from "../../sessions/numbers.ts";
import { checkBroker } from "./broker.ts";
import type { Finding } from "./finding.ts";

export async function checkInstallation(machine: Machine): Promise<Finding[]> {
  const paths = homePaths(machine.env, machine.userHome);
  const settings = await openSettings(machine);
  return [
    { state: "good", name: "lathe", text: LATHE_VERSION },
    checkNode(process.versions.node),
    checkHome(machine, paths),
    settings.finding,
    await checkModels(paths),
    ...(settings.workspace ? await checkBroker(machine, settings.workspace) : []),
    ...(settings.workspace ? [await checkCredentials(settings.workspace)] : []),
    ...(settings.workspace ? await checkWebSearch(settings.workspace) : []),
    await checkProgram("ripgrep", await locateRipgrep(machine.env["PATH"]), "searches use a slower built-in engine"),
    await checkProgram("git", onPath("git", machine.env["PATH"]), "the model is not told the state of the repository"),
    await checkProgram("python3", onPath("python3", machine.env["PATH"]), "Python cells need a virtual environment"),
    await checkSandbox(machine),
    ...(await Promise.all(PARTS.map(checkPart))),
    await checkDebuggers(machine),
    checkLocks(machine, paths),
    ...(settings.workspace ? await checkLanguageServers(settings.workspace) : []),
  ];
}

const OLDEST_NODE = [20, 19] as const;

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const fits = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  if (fits) return { state: "good", name: "node", text: version };
  return {
    state: "wrong",
    name: "node",
    text: `${version} is too old. Install Node.js ${OLDEST_NODE.join(".")} or later.`,
  };
}

const PROBE_BYTES = 64 << 10;

function checkHome(machine: Machine, { home }: HomePaths): Finding {
  const probe = join(home, `.doctor-${machine.pid}`);
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    // An empty file could be created even on a full disk, so this writes some content.
    try {
      writeFileSync(probe, Buffer.alloc(PROBE_BYTES), { flush: true });
    } finally {
      rmSync(probe, { force: true });
    }
    return { state: "good", name: "home", text: home };
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code;
    const remedy = why === "ENOSPC" || why === "EDQUOT" ? "Free space there" : "Fix its permissions";
    return {
      state: "wrong",
      name: "home",
      text: `${home} cannot be written (${why}). ${remedy}, or set LATHE_HOME to another folder.`,
    };
  }
}

async function openSettings(machine: Machine): Promise<{ finding: Finding; workspace?: SessionWorkspace }> {
  try {
    const workspace = await new Run(machine).open({});
    const [first, ...more] = workspace.warnings;
    if (first === undefined)
      return { workspace, finding: { state: "good", name: "settings", text: fileOrDefaults(workspace.paths.config) } };
    const text = more.length > 0 ? `${first} (and ${more.length} more)` : first;
    return { workspace, finding: { state: "missing", name: "settings", text } };
  } catch (error) {
    return { finding: { state: "wrong", name: "settings", text: firstLine(error) } };
  }
}

async function checkModels({ models }: HomePaths): Promise<Finding> {
  const { problems } = await readModelsFiles([{ file: models, own: true }]);
  const [first] = problems;
  return first === undefined
    ? { state: "good", name: "models", text: fileOrDefaults(models) }
    : { state: "wrong", name: "models", text: first };
}

/** Lists names and sources, never a secret. */
async function checkCredentials(workspace: SessionWorkspace): Promise<Finding> {
  const sources = credentialSources(workspace);
  const found: string[] = [];
  const broken: string[] = [];
  for (const row of providerRows) {
    if (row.unsupported !== undefined || row.keyless) continue;
    try {
      const credential = await findCredential(credentialQuery(row.id, workspace.env), sources);
      const source = credential?.source ?? cloudSign(row.id, workspace.env);
      if (source !== undefined) found.push(`${row.id} (${source})`);
    } catch (error) {
      broken.push(firstLine(error));
    }
  }
  if (broken[0] !== undefined) return { state: "wrong", name: "credentials", text: broken[0] };
  if (found.length > 0) return { state: "good", name: "credentials", text: found.join(", ") };
  const login = signInCommand(sources.accounts.place);
  const text = `none. Run: ${login} <provider>, or try without one: lathe --model practice/basic`;
  return { state: "missing", name: "credentials", text };
}

/** Shows which engine would answer. Sends nothing. */
async function checkWebSearch(workspace: SessionWorkspace): Promise<Finding[]> {
  const name = "web search";
  const { settings } = workspace;
  if (!settings["web_search.enabled"]) return [];
  const { availableEngines } = await import("../../additions/search/available-engines.ts");
  try {
    const [provider = ""] = settings.model.split("/", 1);
    const engines = await availableEngines(workspace, { provider });
    const broken = engines.find(({ problem }) => problem !== undefined)?.problem;
    if (broken !== undefined) return [{ state: "wrong", name, text: broken }];
    const wanted = settings["providers.webSearch"];
    const chain = engines.map(({ row, source }) => `${row.id} (${source})`).join(", then ");
    if (wanted === "auto" || engines.some(({ row }) => row.id === wanted))
      return [{ state: "good", name, text: chain }];
    const remedy =
      wanted === "searxng" ? "set searxng.endpoint" : `run: ${signInCommand(workspace.accounts().place)} ${wanted}`;
    return [{ state: "missing", name, text: `${wanted} is chosen but has no key; ${remedy}. Until then: ${chain}` }];
  } catch (error) {
    return [{ state: "wrong", name, text: firstLine(error) }];
  }
}

const run = promisify(execFile);
const PATIENCE_MS = 5000;

async function checkProgram(name: string, path: string | undefined, without: string): Promise<Finding> {
  if (path === undefined) return { state: "missing", name, text: `not found; without it ${without}. Install ${name}.` };
  try {
    const { stdout } = await run(path, ["--version"], { timeout: PATIENCE_MS });
    return { state: "good", name, text: `${stdout.split("\n")[0]} at ${path}` };
  } catch (error) {
    return { state: "wrong", name, text: `${path} does not run: ${firstLine(error)}. Install it again.` };
  }
}

/** Runs a command in a sandbox, because the only way to find out whether the kernel allows it is to try. */
async function checkSandbox(machine: Machine): Promise<Finding> {
  const env = new SandboxedLocalEnvironment({
    // The root exists in every sandbox. The current folder may be below /tmp, which a sandbox replaces with its own.
    cwd: "/",
    baseEnv: machine.env,
    roots: () => [],
    home: machine.userHome,
  });
  try {
    const { exitCode, output } = await env.execCommand("true", PATIENCE_MS);
    if (exitCode === 0)
      return { state: "good", name: "sandbox", text: "commands can be confined; turn it on with --sandbox" };
    return { state: "missing", name: "sandbox", text: `a test command could not be confined: ${output.trim()}` };
  } catch (error) {
    return { state: "missing", name: "sandbox", text: firstLine(error) };
  } finally {
    await env.cleanup();
  }
}

/** Does not run the programs of a project to find out. */
async function checkDebuggers(machine: Machine): Promise<Finding> {
  const env = new LocalEnvironment({ cwd: "/", baseEnv: machine.env });
  try {
    const names = (await installedAdapters(env, false)).map(({ row }) => row.name);
    return {
      state: names.length > 0 ? "good" : "missing",
      name: "debuggers",
      text: names.join(", ") || "none installed",
    };
  } catch (error) {
    return { state: "missing", name: "debuggers", text: firstLine(error) };
  } finally {
    await env.cleanup();
  }
}

interface Part {
  readonly name: string;
  readonly package: string;
  readonly load: () => Promise<unknown>;
  readonly without: string;
}

const PARTS: readonly Part[] = [
  {
    name: "sqlite",
    package: "@photostructure/sqlite",
    load: async () => {
      const { DatabaseSync } = await import("@photostructure/sqlite");
      new DatabaseSync(":memory:").close();
    },
    without: "searching sessions reads every file",
  },
  {
    name: "tree-sitter",
    package: "web-tree-sitter",
    load: () => import("web-tree-sitter"),
    without: "edits are not checked for new syntax errors",
  },
  {
    name: "keyring",
    package: "@napi-rs/keyring",
    load: () => import("@napi-rs/keyring"),
    without: "keys are kept in a file only you can read",
  },
];

async function checkPart(part: Part): Promise<Finding> {
  try {
    await part.load();
    return { state: "good", name: part.name, text: part.package };
  } catch {
    const text = `${part.package} is not installed; without it ${part.without}. To add it: npm install -g ${part.package}`;
    return { state: "missing", name: part.name, text };
  }
}

function checkLocks(machine: Machine, { sessions }: HomePaths): Finding {
  let stale: string[];
  try {
    stale = allJournals(sessions).filter((path) => staleLock(path, machine.host));
  } catch (error) {
    return { state: "wrong", name: "locks", text: `${firstLine(error)}. Fix the permissions of ${sessions}.` };
  }
  if (stale.length === 0) return { state: "good", name: "locks", text: "no stale session locks" };
  const text = `stale locks of ${countOf(stale.length, "session")}, left by processes that have ended; opening a session removes its lock. See: lathe sessions doctor`;
  return { state: "missing", name: "locks", text };
}

/** The servers for this folder. Without a server, only its information is missing. */
async function checkLanguageServers(workspace: SessionWorkspace): Promise<Finding[]> {
  const { fitsProject } = await import("../../additions/lsp/fits-project.ts");
  if (!fitsProject(workspace)) return [];
  const { configureServers } = await import("../../additions/lsp/configured-servers.ts");
  const { LanguageServers } = await import("../../additions/lsp/language-servers.ts");
  const { cwd, paths, machine } = workspace;
  const discovery = await workspace.discovery();
  const { active } = await discovery.of("lsp-server");
  const { rows, warnings } = configureServers(active, discovery.place);
  const env = new LocalEnvironment({ cwd, baseEnv: workspace.env });
  const isFolderTrusted = (): boolean => isTrusted(paths.trust, cwd, machine.userHome);
  const servers = new LanguageServers({
    rows,
    top: cwd,
    isTrusted: isFolderTrusted,
    now: machine.deps.now,
    warn: () => {},
  });
  try {
    const fitting = await servers.forProject(env);
    const usable = fitting.flatMap(({ row, argv }) => (argv ? [`${row.name} (${argv[0]})`] : []));
    const off = fitting.flatMap(({ row, argv, off: why }) => (argv ? [] : [`${row.name}: ${why}`]));
    return [
      ...warnings.map((text): Finding => ({ state: "missing", name: "lsp.json", text })),
      ...usable.map((text): Finding => ({ state: "good", name: "lsp", text })),
      ...off.map((text): Finding => ({ state: "missing", name: "lsp", text })),
    ];
  } finally {
    await servers.close();
    await env.cleanup();
  }
}

const fileOrDefaults = (file: string): string => (existsSync(file) ? file : `defaults; there is no ${file}`);

const firstLine = (error: unknown): string => (error as Error).message.split("\n")[0] ?? "";
