// A gateway inside the test in front of scripted models, and clients as the vendors ship them.

import { mkdir, writeFile } from "node:fs/promises";
import { PassThrough } from "node:stream";
import Anthropic from "@anthropic-ai/sdk";
import { type BaseUrlKind, type ModelServer, type ModelServerOptions, startModelServer } from "@lathe/testkit";
import OpenAI from "openai";
import { stringify } from "yaml";
import { KeyFile, type KeyTerms } from "../../src/doors/gateway/keys/key-file.ts";
import { openGateway } from "../../src/doors/gateway/open-gateway.ts";
import { type LoggedRequest, logLine } from "../../src/doors/gateway/server/request-log.ts";
import type { RunningServer } from "../../src/doors/http/guarded.ts";
import type { Limits } from "../../src/doors/http/listen.ts";
import { OwnToken } from "../../src/doors/http/own-token.ts";
import { Run } from "../../src/hosts/run.ts";
import { homePaths } from "../../src/platform/home/paths.ts";
import type { Machine } from "../../src/platform/machine/machine.ts";
import { type Sandbox, sandbox } from "../command.ts";
import { machineOf, Text } from "../machine.ts";
import { type Answered, type Asking, ask } from "../serve/serve-kit.ts";

/** What the models of the tests cost: US dollars per million tokens. */
export const PRICES = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
export const VENDOR_KEY = "sk-vendor-0123456789abcdefghijklmnop";

export interface GatewayChoices {
  readonly box?: Sandbox;
  /** More variables for the gateway. */
  readonly env?: (box: Sandbox, upstream: ModelServer) => Record<string, string>;
  readonly settings?: object;
  readonly needsKey?: boolean;
  readonly machine?: (machine: Machine) => Machine;
  readonly upstream?: ModelServerOptions;
  readonly limits?: Partial<Limits>;
}

export interface TestGateway {
  readonly box: Sandbox;
  readonly upstream: ModelServer;
  readonly gateway: RunningServer;
  readonly keys: KeyFile;
  readonly requests: readonly LoggedRequest[];
  /** Everything the operator can read. */
  readonly log: () => string;
  readonly ledger: string;
  readonly token: string;
  /** Resolves when this many requests have been logged. */
  whenLogged(count: number): Promise<void>;
  key(terms?: Partial<KeyTerms>): Promise<string>;
  ask(path: string, asking?: Asking): Promise<Answered>;
  openai(key: string): OpenAI;
  anthropic(key: string): Anthropic;
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** One server plays all vendors: each protocol has a provider with one model `m-<format>`. */
export function modelsFile(upstream: ModelServer, apiKey: string): object {
  const provider = (kind: BaseUrlKind, api: string, id: string, mode: string, more: object = {}) => ({
    baseUrl: upstream.baseUrl(kind),
    api,
    apiKey,
    models: [
      {
        id,
        name: id,
        contextWindow: 200_000,
        maxTokens: 16_000,
        cost: PRICES,
        input: ["text", "image"],
        reasoning: true,
        thinking: { mode },
        ...more,
      },
    ],
  });
  return {
    providers: {
      claudish: provider("anthropic", "anthropic-messages", "m-messages", "budget"),
      chatty: provider("chat", "openai-completions", "m-chat", "effort", {
        compat: { reasoningContentField: "reasoning_content" },
      }),
      responsive: provider("openai", "openai-responses", "m-responses", "effort"),
      twin: provider("gemini", "google-generative-ai", "m-gemini", "budget"),
      rocky: provider("bedrock", "bedrock-converse-stream", "m-bedrock", "budget"),
      local: provider("ollama", "ollama-chat", "m-ollama", "toggle"),
    },
  };
}

export async function startTestGateway(choices: GatewayChoices = {}): Promise<TestGateway> {
  const box = choices.box ?? (await sandbox());
  const upstream = await startModelServer({ auth: { key: VENDOR_KEY }, ...choices.upstream });
  const paths = homePaths(box.env, box.home);
  await mkdir(paths.home, { recursive: true, mode: 0o700 });
  await writeFile(paths.models, stringify(modelsFile(upstream, VENDOR_KEY)));
  if (choices.settings) await writeFile(paths.config, stringify(choices.settings));
  const stderr = new Text();
  const env = { ...box.env, ...choices.env?.(box, upstream) };
  const plain = machineOf({ cwd: box.dir, env }, new PassThrough(), new Text(), stderr);
  const machine = choices.machine?.(plain) ?? plain;
  const keys = new KeyFile(paths.gatewayKeys, machine.deps.now);
  const own = new OwnToken(paths.gatewayToken);
  const requests: LoggedRequest[] = [];
  let lines = "";
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const gateway = await openGateway({
    machine,
    // The test's clock is for the gateway, not for its requests to vendors.
    workspace: await new Run(plain).open({}),
    version: "0",
    host: "127.0.0.1",
    port: 0,
    limits: choices.limits,
    needsKey: choices.needsKey ?? true,
    own,
    keys,
    log: (request) => {
      requests.push(request);
      lines += logLine(request);
      for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
    },
    warn: (message) => void stderr.write(`${message}\n`),
  });
  let made = 0;
  const close = async (): Promise<void> => {
    await gateway.close();
    await upstream.close();
    if (choices.box === undefined) await box.remove();
  };
  return {
    box,
    upstream,
    gateway,
    keys,
    requests,
    log: () => lines + stderr.text,
    ledger: paths.gatewayLedger,
    token: await own.token(),
    whenLogged: (count) =>
      requests.length >= count
        ? Promise.resolve()
        : new Promise<void>((resolve) => void waiting.push({ count, resolve })),
    key: async (terms = {}) => (await keys.add({ name: `key-${++made}`, ...terms })).key,
    ask: (path, asking) => ask(gateway.url, path, asking),
    openai: (apiKey) => new OpenAI({ apiKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 }),
    anthropic: (apiKey) => new Anthropic({ apiKey, baseURL: gateway.url, maxRetries: 0 }),
    close,
    [Symbol.asyncDispose]: close,
  };
}
