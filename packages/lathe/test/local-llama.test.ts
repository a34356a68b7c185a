import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { sandbox } from "./command.ts";
import { hasLlama, Llama, startLlamaServer, writeModel } from "./local-llama.ts";

/** All fifty take half a minute on a busy machine. In the gate each kind once, and one again. */
const CALLS = process.env["LATHE_LONG"] ? 50 : 5;

/** As small models fail: a quote inside a string, an end that is missing, another language's brackets, no name. */
const GARBLED = [
  '<tool_call>\n{"name": "read", "arguments": {"file_path": "say "a" now"}}\n</tool_call>',
  '<tool_call>\n{"name": "edit", "arguments": {"file_path": "a.txt", "old_string": "one\n</tool_call>',
  '<tool_call>\n{"name" = "read", "arguments" = ("file_path" => "a.txt")}\n</tool_call>',
  '<tool_call>\n{"arguments": {"file_path": }}\n</tool_call>',
];

/** The numbers of the Park-Miller generator: the same weights each time. */
function numbers(seed: number): () => number {
  let last = seed;
  return () => {
    last = (last * 48_271) % 2_147_483_647;
    return last / 2_147_483_647;
  };
}

const test = hasLlama ? it : it.skip;

test(`LS-08 real llama.cpp: ${CALLS} of ${CALLS} calls that could not be read are valid under its grammar, and run (needs @node-llama-cpp from setup-system.sh)`, async () => {
  const box = await sandbox();
  const file = join(box.home, "random.gguf");
  await writeModel(file, numbers(42));
  const llama = await Llama.open(file);
  const server = await startLlamaServer(llama, (nth) => (nth < CALLS ? GARBLED[nth % GARBLED.length] : undefined));
  try {
    const env = {
      LLAMA_CPP_BASE_URL: server.url,
      OLLAMA_BASE_URL: "http://127.0.0.1:9",
      LM_STUDIO_BASE_URL: "http://127.0.0.1:9/v1",
    };
    const args = [
      "--model",
      "llama.cpp/random",
      "--profile",
      "minimal",
      "--tools",
      "read,edit",
      "--permission-mode",
      "full",
    ];
    const { code, stdout } = await box.run([...args, "-p", "go"], { env });
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Done.\n" });
    expect(server.seen.constrained).toHaveLength(CALLS);
    for (const text of server.seen.constrained)
      expect(JSON.parse(text)).toMatchObject({ name: expect.stringMatching(/^(read|edit)$/) });
    const results = (await entries(box.env["LATHE_HOME"]!)).filter(({ message }) => message?.role === "tool");
    expect(results).toHaveLength(CALLS);
    // Each went to its tool: there is no such file. None was refused for what it says.
    for (const { message } of results)
      expect(JSON.stringify(message)).not.toMatch(/Invalid arguments|not a JSON object|no tool|Unknown tool/i);
  } finally {
    await server.close();
    await llama.close();
    await box.remove();
  }
});

async function entries(home: string) {
  const sessions = join(home, "sessions");
  const [folder] = await readdir(sessions);
  const [name] = (await readdir(join(sessions, folder!))).filter((one) => one.endsWith(".jsonl"));
  const lines = (await readFile(join(sessions, folder!, name!), "utf8")).trim().split("\n");
  return lines.map((line) => JSON.parse(line) as { message?: { role: string; content: unknown } });
}
