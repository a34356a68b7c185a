// The real llama.cpp behind a small HTTP server: the addon of node-llama-cpp's platform package, which setup-system.sh
// downloads, and a model with random weights that is written here. It knows nothing, so its output under a grammar
// shows only the grammar.

import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "@lathe/llm";

const PLATFORM = `linux-${process.arch}`;
const FOLDER = join(
  process.env["XDG_CACHE_HOME"] ?? join(process.env["HOME"] ?? homedir(), ".cache"),
  "lathe-ci/llama",
);
const ADDON = join(FOLDER, "bins", PLATFORM, "llama-addon.node");

export const hasLlama = existsSync(ADDON);

const DIM = 32;
const HIDDEN = 64;
const CONTEXT = 4_096;
/** Unknown, begin, end, the 256 bytes, then printable characters, which random weights choose equally often. */
const BYTES_FROM = 3;
const CHARACTERS = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at));
const BOS = 1;
const EOS = 2;

/** GGUF version 3: a llama of one layer. `random` is uniform in [0, 1). */
export async function writeModel(file: string, random: () => number): Promise<void> {
  const bytes = Array.from({ length: 256 }, (_, at) => `<0x${at.toString(16).toUpperCase().padStart(2, "0")}>`);
  // In this vocabulary, U+2581 represents a space.
  const tokens = ["<unk>", "<s>", "</s>", ...bytes, ...CHARACTERS.map((char) => (char === " " ? "\u2581" : char))];
  const types = tokens.map((_, at) => (at === 0 ? 2 : at < BYTES_FROM ? 3 : at < BYTES_FROM + 256 ? 6 : 1));
  const vocabulary = tokens.length;
  const shapes: [string, number[]][] = [
    ["token_embd.weight", [DIM, vocabulary]],
    ["output_norm.weight", [DIM]],
    ["output.weight", [DIM, vocabulary]],
    ["blk.0.attn_norm.weight", [DIM]],
    ["blk.0.attn_q.weight", [DIM, DIM]],
    ["blk.0.attn_k.weight", [DIM, DIM]],
    ["blk.0.attn_v.weight", [DIM, DIM]],
    ["blk.0.attn_output.weight", [DIM, DIM]],
    ["blk.0.ffn_norm.weight", [DIM]],
    ["blk.0.ffn_gate.weight", [DIM, HIDDEN]],
    ["blk.0.ffn_up.weight", [DIM, HIDDEN]],
    ["blk.0.ffn_down.weight", [HIDDEN, DIM]],
  ];
  const facts: Buffer[] = [
    pair("general.architecture", 8, str("llama")),
    ...Object.entries({
      context_length: CONTEXT,
      embedding_length: DIM,
      block_count: 1,
      feed_forward_length: HIDDEN,
      "attention.head_count": 2,
    }).map(([key, value]) => pair(`llama.${key}`, 4, u32(value))),
    pair("llama.attention.layer_norm_rms_epsilon", 6, f32([1e-5])),
    pair("tokenizer.ggml.model", 8, str("llama")),
    pair("tokenizer.ggml.tokens", 9, list(8, tokens.map(str))),
    pair(
      "tokenizer.ggml.scores",
      9,
      list(
        6,
        tokens.map((_, at) => f32([-at])),
      ),
    ),
    pair("tokenizer.ggml.token_type", 9, list(5, types.map(u32))),
    pair("tokenizer.ggml.bos_token_id", 4, u32(BOS)),
    pair("tokenizer.ggml.eos_token_id", 4, u32(EOS)),
    pair("tokenizer.ggml.unknown_token_id", 4, u32(0)),
  ];
  const infos: Buffer[] = [];
  const data: Buffer[] = [];
  let offset = 0;
  for (const [name, shape] of shapes) {
    const count = shape.reduce((product, size) => product * size, 1);
    infos.push(Buffer.concat([str(name), u32(shape.length), ...shape.map(u64), u32(0), u64(offset)]));
    const values = Array.from({ length: count }, () => (shape.length === 1 ? 1 : (random() - 0.5) / 4));
    data.push(pad(f32(values)));
    offset += data.at(-1)!.length;
  }
  const head = Buffer.concat([Buffer.from("GGUF"), u32(3), u64(shapes.length), u64(facts.length), ...facts, ...infos]);
  await writeFile(file, Buffer.concat([pad(head), ...data]));
}

const ALIGNMENT = 32;
const pad = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.alloc((ALIGNMENT - (bytes.length % ALIGNMENT)) % ALIGNMENT)]);
function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}
const f32 = (values: readonly number[]): Buffer => Buffer.from(Float32Array.from(values).buffer);
const str = (text: string): Buffer => Buffer.concat([u64(Buffer.byteLength(text)), Buffer.from(text)]);
const pair = (key: string, type: number, value: Buffer): Buffer => Buffer.concat([str(key), u32(type), value]);
const list = (type: number, items: readonly Buffer[]): Buffer =>
  Buffer.concat([u32(type), u64(items.length), ...items]);

/** The parts of the addon that we use. */
interface Addon {
  loadBackends(path?: string): void;
  init(): Promise<void>;
  setLogger(logger: (level: number, message: string) => void): void;
  setLoggerLogLevel(level: number): void;
  AddonModel: new (path: string, options: object) => Model;
  AddonContext: new (model: Model, options: object) => Context;
  AddonSampler: new (model: Model) => Sampler;
  AddonGrammar: new (grammar: string, options: object) => object;
  AddonGrammarEvaluationState: new (model: Model, grammar: object) => object;
}
interface Model {
  init(): Promise<boolean>;
  dispose(): Promise<void>;
  tokenize(text: string, special: boolean): Uint32Array;
  detokenize(tokens: Uint32Array, special?: boolean): string;
  isEogToken(token: number): boolean;
}
interface Context {
  init(): Promise<boolean>;
  dispose(): Promise<void>;
  initBatch(size: number): void;
  addToBatch(sequence: number, from: number, tokens: Uint32Array, logits: Uint32Array): Uint32Array;
  decodeBatch(): Promise<void>;
  sampleToken(index: number, sampler: Sampler): Promise<number>;
  disposeSequence(sequence: number): void;
  removeTokenCellsFromSequence(sequence: number, from: number, to: number): boolean;
}
interface Sampler {
  applyConfig(config: object): void;
  dispose(): void;
}

const MOST_TOKENS = 3_500;
const MOST_PROMPT = 256;

export class Llama {
  readonly #addon: Addon;
  readonly #model: Model;
  readonly #context: Context;
  #seed = 1;

  private constructor(addon: Addon, model: Model, context: Context) {
    this.#addon = addon;
    this.#model = model;
    this.#context = context;
  }

  static async open(file: string): Promise<Llama> {
    const addon = createRequire(import.meta.url)(ADDON) as Addon;
    addon.setLogger(() => {});
    addon.setLoggerLogLevel(0);
    addon.loadBackends();
    addon.loadBackends(join(FOLDER, "bins", PLATFORM));
    await addon.init();
    const model = new addon.AddonModel(file, { addonExports: addon, gpuLayers: 0, useMmap: false });
    if (!(await model.init())) throw new Error("llama.cpp refuses the model of the test");
    const context = new addon.AddonContext(model, { contextSize: CONTEXT, batchSize: 512, sequences: 1, threads: 1 });
    if (!(await context.init())) throw new Error("llama.cpp makes no context");
    return new Llama(addon, model, context);
  }

  async close(): Promise<void> {
    await this.#context.dispose();
    await this.#model.dispose();
  }

  /** The prompt is cut to its end, since the model does not understand it anyway. */
  async answer(prompt: string, limit: number, grammar?: string): Promise<string> {
    const context = this.#context;
    const sampler = new this.#addon.AddonSampler(this.#model);
    const state =
      grammar === undefined
        ? undefined
        : new this.#addon.AddonGrammarEvaluationState(
            this.#model,
            new this.#addon.AddonGrammar(grammar, { addonExports: this.#addon, rootRuleName: "root" }),
          );
    const seed = this.#seed++;
    const text: number[] = [];
    let next = this.#model.tokenize(prompt, false).slice(-MOST_PROMPT);
    let at = 0;
    context.removeTokenCellsFromSequence(0, 0, -1);
    while (text.length < Math.min(limit, MOST_TOKENS)) {
      context.initBatch(next.length);
      const [index = 0] = context.addToBatch(0, at, next, Uint32Array.of(next.length - 1));
      await context.decodeBatch();
      at += next.length;
      sampler.applyConfig({ temperature: 1, seed, ...(state === undefined ? {} : { grammarEvaluationState: state }) });
      const token = await context.sampleToken(index, sampler);
      if (token === -1 || this.#model.isEogToken(token)) break;
      text.push(token);
      next = Uint32Array.of(token);
    }
    sampler.dispose();
    return this.#model.detokenize(Uint32Array.from(text));
  }
}

/** The part of llama.cpp's conversion of schemas that tool calls need. */
export function grammarOf(schema: JsonObject): string {
  const rules = new Map<string, string>([
    ["space", '" "?'],
    ["char", '[^"\\\\\\x00-\\x1F\\x7F-\\xFF] | "\\\\" ["\\\\/bfnrt]'],
    ["string", '"\\"" char* "\\""'],
    ["integer", '"-"? ("0" | [1-9] [0-9]{0,8})'],
    ["boolean", '"true" | "false"'],
  ]);
  rules.set("root", rule(schema, rules));
  return [...rules].map(([name, body]) => `${name} ::= ${body}`).join("\n");
}

function rule(schema: JsonValue | undefined, rules: Map<string, string>): string {
  if (!isJsonObject(schema)) return "string";
  const { anyOf, enum: values, type, properties, required, items } = schema;
  if (Array.isArray(anyOf)) return anyOf.map((one) => `(${rule(one, rules)})`).join(" | ");
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(JSON.stringify(value))).join(" | ");
  if (type === "array") return `"[" ((${rule(items, rules)}) ("," (${rule(items, rules)}))*)? "]"`;
  if (type !== "object")
    return type === "integer" || type === "number" ? "integer" : type === "boolean" ? "boolean" : "string";
  const wanted = Object.entries(isJsonObject(properties) ? properties : {}).filter(
    ([key]) => Array.isArray(required) && required.includes(key),
  );
  const pairs = wanted.map(
    ([key, value]) => `${JSON.stringify(`${JSON.stringify(key)}:`)} space (${rule(value, rules)})`,
  );
  return `"{" ${pairs.join(' "," space ')} "}"`;
}

/** Chat Completions as in llama-server: a schema becomes a grammar, and tools are refused. */
export async function startLlamaServer(
  llama: Llama,
  garbled: (nth: number) => string | undefined,
): Promise<{ url: string; seen: { free: number; constrained: string[] }; close(): Promise<void> }> {
  const seen = { free: 0, constrained: [] as string[] };
  let queue: Promise<unknown> = Promise.resolve();
  // biome-ignore lint/suspicious/noExplicitAny: a body of Chat Completions
  const answer = async (body: any): Promise<{ status: number; json: object; text?: string }> => {
    if (body.tools?.length > 0)
      return {
        status: 500,
        json: { error: { code: 500, message: "tools param requires --jinja flag", type: "server_error" } },
      };
    const prompt = JSON.stringify(body.messages);
    const schema = body.response_format?.json_schema?.schema;
    const text = schema
      ? await llama.answer(prompt, body.max_tokens ?? MOST_TOKENS, grammarOf(schema))
      : (garbled(seen.free++) ?? "Done.");
    if (schema) seen.constrained.push(text);
    const message = { role: "assistant", content: text };
    const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
    return {
      status: 200,
      text,
      json: {
        id: "c",
        object: "chat.completion",
        model: body.model,
        choices: [{ index: 0, message, finish_reason: "stop" }],
        usage,
      },
    };
  };
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const work = async (): Promise<void> => {
        if (!request.url?.endsWith("/chat/completions")) return void response.writeHead(404).end("{}");
        const body = JSON.parse(Buffer.concat(chunks).toString());
        const { status, json, text } = await answer(body);
        if (!body.stream || status !== 200)
          return void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json));
        response.writeHead(200, { "content-type": "text/event-stream" });
        const chunk = (delta: object, reason: string | null) =>
          `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: body.model, choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`;
        response.end(`${chunk({ role: "assistant", content: text }, null)}${chunk({}, "stop")}data: [DONE]\n\n`);
      };
      queue = queue.then(work, work);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
