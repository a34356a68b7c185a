import { array, assert, constantFrom, integer, oneof, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import type { WrittenCall } from "../../src/middleware/call-forms.ts";
import { CallScanner, type Piece } from "../../src/middleware/call-scanner.ts";

const tool = (name: string, properties: Record<string, string>, required: string[]) => ({
  name,
  parameters: {
    type: "object",
    properties: Object.fromEntries(Object.entries(properties).map(([key, type]) => [key, { type }])),
    required,
  },
});
const tools = [
  tool("read", { file_path: "string", offset: "integer" }, ["file_path"]),
  tool("bash", { command: "string", timeout_ms: "integer" }, ["command"]),
  tool("write", { file_path: "string", content: "string" }, ["file_path", "content"]),
];

function scan(...deltas: string[]): { text: string; calls: WrittenCall[] } {
  const scanner = new CallScanner(tools);
  const pieces: Piece[] = [...deltas.flatMap((delta) => scanner.push(delta)), ...scanner.end()];
  return {
    text: pieces.flatMap((piece) => (piece.kind === "text" ? [piece.text] : [])).join(""),
    calls: pieces.flatMap((piece) => (piece.kind === "call" ? [piece.call] : [])),
  };
}

const readA = { name: "read", arguments: { file_path: "a.txt" } };
const lsCall = { name: "bash", arguments: { command: "ls" } };

describe("forms that small models write", () => {
  it.each<[string, string, WrittenCall[]]>([
    ["tag", '<tool_call>\n{"name": "read", "arguments": {"file_path": "a.txt"}}\n</tool_call>', [readA]],
    ["tag without an end", '<tool_call>{"name": "read", "arguments": {"file_path": "a.txt"}}', [readA]],
    ["tag, brackets missing", '<tool_call>{"name": "read", "arguments": {"file_path": "a.txt"</tool_call>', [readA]],
    [
      "other words for the two keys",
      '<tool_call>{"tool": "read", "parameters": {"file_path": "a.txt"}}</tool_call>',
      [readA],
    ],
    [
      "arguments as a text",
      '<tool_call>{"name":"read","arguments":"{\\"file_path\\":\\"a.txt\\"}"}</tool_call>',
      [readA],
    ],
    ["arguments beside the name", '<tool_call>{"name": "read", "file_path": "a.txt"}</tool_call>', [readA]],
    [
      "OpenAI's object",
      '<tool_call>{"type":"function","function":{"name":"read","arguments":{"file_path":"a.txt"}}}</tool_call>',
      [readA],
    ],
    [
      "Python's quotes and words",
      "<tool_call>{'name': 'read', 'arguments': {'file_path': 'a.txt',}}</tool_call>",
      [readA],
    ],
    [
      "a fence in the tag",
      '<tool_call>\n```json\n{"name": "read", "arguments": {"file_path": "a.txt"}}\n```\n</tool_call>',
      [readA],
    ],
    [
      "two in a row",
      '<tool_call>{"name":"read","arguments":{"file_path":"a.txt"}}</tool_call>\n<tool_call>{"name":"bash","arguments":{"command":"ls"}}</tool_call>',
      [readA, lsCall],
    ],
    [
      "two in one tag",
      '<tool_call>[{"name":"read","arguments":{"file_path":"a.txt"}},{"name":"bash","arguments":{"command":"ls"}}]</tool_call>',
      [readA, lsCall],
    ],
    ["function tag, JSON", '<function=read>{"file_path": "a.txt"}</function>', [readA]],
    [
      "function tag, parameters",
      "<tool_call>\n<function=read>\n<parameter=file_path>\na.txt\n</parameter>\n</function>\n</tool_call>",
      [readA],
    ],
    [
      "invoke",
      '<function_calls>\n<invoke name="read">\n<parameter name="file_path">a.txt</parameter>\n</invoke>\n</function_calls>',
      [readA],
    ],
    ["pairs", "<tool_call>read\n<arg_key>file_path</arg_key>\n<arg_value>a.txt</arg_value>\n</tool_call>", [readA]],
    ["Mistral", '[TOOL_CALLS][{"name": "read", "arguments": {"file_path": "a.txt"}}]', [readA]],
    ["Mistral, newer", '[TOOL_CALLS]read[ARGS]{"file_path": "a.txt"}', [readA]],
    ["Llama", '<|python_tag|>{"name": "read", "parameters": {"file_path": "a.txt"}}<|eom_id|>', [readA]],
    ["Llama, nothing else", '{"name": "read", "parameters": {"file_path": "a.txt"}}', [readA]],
    ["Gemma", '<|tool_call>call:read{file_path:<|"|>a.txt<|"|>}<tool_call|>', [readA]],
    ["Gemma's block of code", '```tool_code\nread(file_path="a.txt")\n```', [readA]],
    ["function call, nothing else", 'read(file_path="a.txt")', [readA]],
    ["list of function calls", '[read(file_path="a.txt"), bash(command="ls")]', [readA, lsCall]],
    [
      "block of JSON at the end",
      'I will look.\n```json\n{\n  "name": "read",\n  "arguments": {"file_path": "a.txt"}\n}\n```\n',
      [readA],
    ],
    ["JSON on the last line", 'I will look.\n{"name": "read", "arguments": {"file_path": "a.txt"}}', [readA]],
    ["a tag named like the tool", "<read>\n<file_path>a.txt</file_path>\n</read>", [readA]],
    [
      "numbers between tags",
      "<function=read><parameter=file_path>7</parameter><parameter=offset>12</parameter></function>",
      [{ name: "read", arguments: { file_path: "7", offset: 12 } }],
    ],
    [
      "after a sentence",
      'Let me look. <tool_call>{"name":"read","arguments":{"file_path":"a.txt"}}</tool_call>',
      [readA],
    ],
    [
      "after thinking",
      '<think>perhaps <tool_call>{"name":"bash","arguments":{"command":"rm"}}</tool_call></think>\n<tool_call>{"name":"read","arguments":{"file_path":"a.txt"}}</tool_call>',
      [readA],
    ],
    [
      "a closing tag inside a string",
      '<tool_call>{"name":"write","arguments":{"file_path":"x","content":"</tool_call>\\n"}}</tool_call>',
      [{ name: "write", arguments: { file_path: "x", content: "</tool_call>\n" } }],
    ],
    [
      "line breaks in a string",
      '<tool_call>{"name":"write","arguments":{"file_path":"x","content":"one\ntwo\n"}}</tool_call>',
      [{ name: "write", arguments: { file_path: "x", content: "one\ntwo\n" } }],
    ],
  ])("LS-08 %s", (_name, text, calls) => {
    expect(scan(text).calls).toEqual(calls);
    expect(scan(...text).calls).toEqual(calls);
  });

  it("text around calls stays, in its order; results that the model made up do not", () => {
    const text =
      'First.\n<tool_call>{"name":"bash","arguments":{"command":"ls"}}</tool_call>\nThen words.\n<tool_call>{"name":"bash","arguments":{"command":"ls"}}</tool_call>\n<tool_response>\na.txt\n</tool_response>\nIt is there.';
    expect(scan(text)).toEqual({ text: "First.\n\nThen words.\n\n", calls: [lsCall, lsCall] });
  });
});

describe("what is only quoted does not run", () => {
  it.each([
    ["in backquotes", 'Write `<tool_call>{"name":"bash","arguments":{"command":"ls"}}</tool_call>` to call it.'],
    [
      "in a sentence",
      'The form is <tool_call>{"name":"bash","arguments":{"command":"ls"}}</tool_call> and nothing else.',
    ],
    ["words behind it", '<tool_call>{"name":"bash","arguments":{"command":"ls"}}</tool_call> is how it is written.'],
    [
      "in a block of code with words behind it",
      '```json\n{"name":"bash","arguments":{"command":"ls"}}\n```\nThis would list the files.',
    ],
    [
      "in a block of text",
      'See:\n```text\nuse <tool_call>{"name":"bash","arguments":{"command":"ls"}}</tool_call>\n```',
    ],
    ["as an example", 'For example:\n```json\n{"name":"bash","arguments":{"command":"ls"}}\n```'],
    ["as the format", 'The format of a call:\n{"name":"bash","arguments":{"command":"ls"}}'],
    ["JSON of something else", 'Here it is:\n```json\n{"name":"lathe","version":"1.0.0"}\n```'],
    ["a package", '{"name": "bash", "version": "1.0.0", "scripts": {}}'],
    ["arguments that the tool does not have", 'I will.\n{"name":"bash","arguments":{"cmd":"ls"}}'],
    ["a line of code", 'In Python you write\nread(file_path="a.txt")'],
    ["a word in angle brackets", "<read> the manual first.\n<write>"],
    ["thinking", '<think>\n<tool_call>{"name":"bash","arguments":{"command":"ls"}}</tool_call>\n</think>\nDone.'],
    ["a diff", '```diff\n-<tool_call>{"name":"bash","arguments":{"command":"ls"}}</tool_call>\n```'],
  ])("LS-08 %s", (_name, text) => {
    expect(scan(text)).toEqual({ text, calls: [] });
    expect(scan(...text)).toEqual({ text, calls: [] });
  });
});

describe("a call that cannot be read", () => {
  it.each([
    ["a quote in a string", '<tool_call>{"name": "bash", "arguments": {"command": "echo "a" b"}}</tool_call>', "bash"],
    ["cut in a string", '<tool_call>\n{"name": "write", "arguments": {"file_path": "x", "content": "one', "write"],
    ["function tag", "<function=read>{file_path: a.txt}</function>", "read"],
    ["no name", '<tool_call>{"arguments": {"x": }}</tool_call>', "unreadable_call"],
  ])("LS-08 %s: it is a call without arguments, as the model wrote it", (_name, text, name) => {
    const { calls } = scan(text);
    expect(calls).toEqual([{ name, raw: expect.any(String) }]);
    expect(scan(...text).calls).toEqual(calls);
  });
});

const word = constantFrom(
  ...'<tool_call>|</tool_call>|<function=read>|</function>|<parameter=file_path>|</parameter>|```|```json\n|`|\n|{|}|[|]|"|\'|:|,| |a|.|name|"name"|read|bash|(|)|=|<think>|</think>|<read>|</read>|<invoke name="read">|</invoke>|[TOOL_CALLS]|<|python_tag|>|<tool_response>|é😀'
    .split("|")
    .filter((part) => part !== ""),
  '{"name":"read","arguments":{"file_path":"a"}}',
  '{"name": "bash", "arguments": {"command": "ls"}}',
);
const runs = { numRuns: process.env["LATHE_LONG"] ? 20_000 : 1_500 };

describe("any text", () => {
  it("LS-08 gives the same pieces however it is divided, and never throws", () => {
    assert(
      property(
        array(oneof({ weight: 8, arbitrary: word }, { weight: 1, arbitrary: string() }), { maxLength: 30 }),
        array(integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 }),
        (words, sizes) => {
          const text = words.join("");
          const deltas: string[] = [];
          for (let at = 0, n = 0; at < text.length; n++) {
            const size = sizes[n % sizes.length]!;
            deltas.push(text.slice(at, at + size));
            at += size;
          }
          expect(scan(...deltas)).toEqual(scan(text));
        },
      ),
      runs,
    );
  });

  it("LS-08 without a call, every character arrives", () => {
    assert(
      property(array(word, { maxLength: 30 }), (words) => {
        const text = words.join("");
        const { calls, text: shown } = scan(text);
        if (calls.length === 0) expect(shown).toBe(text);
      }),
      runs,
    );
  });

  it("LS-08 thousands of closing tags in one string take no longer than their length", () => {
    const inside = "</tool_call>".repeat(20_000);
    const call = JSON.stringify({ name: "write", arguments: { file_path: "x", content: inside } });
    expect(scan(`<tool_call>${call}</tool_call>`).calls).toHaveLength(1);
    expect(scan(...`<tool_call>${call}`.match(/[\s\S]{1,64}/g)!).calls).toHaveLength(1);
  });
});
