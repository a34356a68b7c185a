// The scenes of the pictures: each brings the command to one screen, waiting for what a user would see.

import { gate, turn } from "@lathe/testkit";
import { KEY, type TerminalRun } from "../../packages/lathe/test/terminal/emulator.ts";
import { ANSWER } from "./answer.ts";
import { MODEL, type Stage } from "./stage.ts";

export interface Scene {
  readonly name: string;
  /** The text for readers who cannot see the picture. */
  readonly label: string;
  readonly look?: "dark" | "light";
  play(stage: Stage): Promise<TerminalRun>;
}

const usage = { input: 1_240, output: 380, cacheRead: 12_900 };
const shell = (command: string) => ({ name: "shell", args: { command } });
const read = (file_path: string) => ({ name: "read_file", args: { file_path } });

const SHARE = {
  name: "edit_file",
  args: {
    file_path: "src/money.js",
    old_string: "export function share(cents, people) {\n  return Math.round(cents / people);\n}",
    new_string: "export function share(cents, people, index) {\n  return Math.floor((cents + index) / people);\n}",
  },
};

/** Starts the command with the prompt sent. */
async function startWithPrompt(stage: Stage, prompt: string, args: readonly string[] = MODEL): Promise<TerminalRun> {
  const run = stage.start(args);
  await run.see(/\/help/);
  run.type(prompt + KEY.enter);
  return run;
}

/** A question takes keys once the user has not typed for a while. */
async function focusQuestion(stage: Stage, run: TerminalRun): Promise<void> {
  stage.pass(2_000);
  run.type(KEY.tab);
  await run.see(/Esc to stop/);
}

export const scenes: readonly Scene[] = [
  {
    name: "start",
    label: "Lathe without a key: what can be chosen",
    play: async (stage) => {
      const run = stage.start([], { ANTHROPIC_API_KEY: "" });
      await run.see(/How do you want to start\?[\s\S]*Enter to choose/);
      return run;
    },
  },
  {
    name: "answer",
    label: "An answer in markdown with code and a table, still streaming",
    play: async (stage) => {
      const door = gate();
      // Everything but the last words.
      const events = Math.ceil(ANSWER.length / 16);
      stage.script(turn.text(ANSWER, { usage, beforeEvent: (index) => (index > events ? door.wait() : undefined) }));
      const run = await startWithPrompt(stage, "how are amounts split between people?");
      await door.reached;
      stage.pass(4_000);
      await run.see(/first ones pay[\s\S]*4s/);
      return run;
    },
  },
  {
    name: "edit",
    label: "Files read, and an edit shown as a diff with the changed words marked",
    play: async (stage) => {
      const wait = (ms: number) => () => stage.pass(ms);
      stage.script(
        turn.calls([read("src/money.js"), read("test/money.test.js")], { usage, before: wait(1_800) }),
        turn.calls([SHARE], { usage, before: wait(3_100) }),
        turn.text("`share` now takes the person's `index`, and the shares add up to the whole: **333, 333, 334**.", {
          usage,
          before: wait(2_200),
        }),
      );
      const run = await startWithPrompt(stage, "1000 cents between 3 people must add up, fix it");
      await run.see(/333, 333, 334[\s\S]*cached/);
      return run;
    },
  },
  {
    name: "running",
    label: "A command that runs, with the end of its output, and a message that waits for the next step",
    play: async (stage) => {
      stage.script(
        turn.calls([shell('for n in $(seq 1 14); do echo "ok $n - amounts, case $n"; done; sleep 600')], { usage }),
      );
      const run = await startWithPrompt(stage, "run the long tests", [...MODEL, "--permission-mode", "full"]);
      await run.see("ok 14");
      run.type(`only report failures${KEY.enter}`);
      await run.see(/next step/);
      stage.pass(12_000);
      await run.see(/12s/);
      return run;
    },
  },
  {
    name: "approval",
    label: "A question before a command runs: the whole command, and what can be answered",
    play: async (stage) => {
      stage.script(
        turn.blocks(
          [
            { type: "text", text: "I will remove the old build and run the tests from a clean state." },
            { type: "call", ...shell("rm -rf build coverage\nnpm test -- --test-reporter=spec | tee test.log") },
          ],
          { usage },
        ),
      );
      const run = await startWithPrompt(stage, "start from a clean state and test");
      await run.see(/Tab to/);
      await focusQuestion(stage, run);
      return run;
    },
  },
  {
    name: "approval-edit",
    label: "A question before an edit: the whole diff, and what can be answered",
    play: async (stage) => {
      stage.script(turn.calls([SHARE], { usage }));
      const run = await startWithPrompt(stage, "1000 cents between 3 people must add up", [
        ...MODEL,
        "--permission-mode",
        "ask",
      ]);
      await run.see(/Tab to/);
      await focusQuestion(stage, run);
      return run;
    },
  },
  {
    name: "question",
    label: "A question of the model with a recommended answer",
    play: async (stage) => {
      const question = {
        id: "rest",
        question: "1000 cents between 3 people leaves one cent. Who gets it?",
        options: [
          { label: "The first person: 334, 333, 333" },
          { label: "The last person: 333, 333, 334" },
          { label: "Whoever paid, which needs a new field in every bill" },
        ],
        recommended: 0,
      };
      stage.script(turn.calls([{ name: "ask_user", args: { questions: [question] } }], { usage }));
      const run = await startWithPrompt(stage, "make shares add up");
      await run.see(/Tab to/);
      await focusQuestion(stage, run);
      return run;
    },
  },
  {
    name: "models",
    label: "The model picker: price, window, what is available first",
    play: async (stage) => {
      const run = await startWithPrompt(stage, "/model");
      await run.see(/Enter to choose/);
      return run;
    },
  },
  {
    name: "sessions",
    label: "The session picker with search and preview",
    play: async (stage) => {
      const exchanges = [
        ["split a bill between people", "`share` does that; it is used nowhere yet."],
        [
          "why is the total wrong for refunds?",
          "`count` is negative for refunds. `total` now takes that into account.",
        ],
        ["add a currency to format", "`format` takes the currency as its second argument."],
        ["rename amount to cents", "Renamed in both files. The tests pass: **3 of 3**."],
      ];
      for (const [prompt = "", answer = ""] of exchanges) {
        await stage.before(prompt, turn.text(answer, { usage }));
        stage.pass(3_600_000 * 5);
      }
      const run = await startWithPrompt(stage, "/resume");
      await run.see(/Renamed in both files/);
      return run;
    },
  },
  {
    name: "context",
    label: "What takes the room of the next request",
    play: async (stage) => {
      stage.script(
        turn.calls([read("src/money.js"), read("test/money.test.js")], { usage }),
        turn.text(ANSWER, { usage }),
      );
      const run = await startWithPrompt(stage, "how are amounts split between people?");
      await run.see(/cached/);
      run.type(`/context${KEY.enter}`);
      await run.see(/free[\s\S]*Ask/i);
      return run;
    },
  },
  {
    name: "rewind",
    label: "Going back to an earlier message, with the files",
    play: async (stage) => {
      stage.script(
        turn.calls([SHARE], { usage }),
        turn.text("`shares` now adds up.", { usage }),
        turn.text("They use `total` and `format`; nothing else.", { usage }),
      );
      const run = await startWithPrompt(stage, "1000 cents between 3 people must add up");
      await run.see(/adds up[\s\S]*cached/);
      run.type(`what do the tests use?${KEY.enter}`);
      await run.see(/nothing else[\s\S]*cached/);
      run.type(`/rewind${KEY.enter}`);
      await run.see(/Enter to choose/);
      return run;
    },
  },
  {
    name: "settings",
    label: "The settings screen",
    play: async (stage) => {
      const run = await startWithPrompt(stage, "/settings");
      await run.see(/from: /);
      return run;
    },
  },
  {
    name: "commands",
    label: "Completion of a command",
    play: async (stage) => {
      const run = stage.start();
      await run.see(/\/help/);
      run.type("/re");
      await run.see(/\/rewind/);
      return run;
    },
  },
];
