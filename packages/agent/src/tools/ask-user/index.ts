import type { JsonValue } from "@lathe/llm";
import { type Question, renderAnswers, renderQuestions } from "../../contract/questions.ts";
import { type ToolDef, ToolFailure } from "../../contract/tool.ts";
import { type ArgsOf, flag, integer, listOf, optional, parameters, record, text } from "../params.ts";
import description from "./description.md";

const params = {
  questions: listOf(
    record(
      {
        id: text("Short name of the question, to distinguish the answers"),
        question: text("The question"),
        options: listOf(record({ label: text("The option in a few words") }, "An option"), "Answers to choose from"),
        multi: optional(flag("Several options may be chosen")),
        recommended: optional(integer("Index of the option you would take, counted from 0", { minimum: 0 })),
      },
      "A question",
    ),
    "What to ask",
    { minItems: 1 },
  ),
};

export const askUserTool: ToolDef<ArgsOf<typeof params>> = {
  name: "ask_user",
  label: "Ask",
  description: description.trim(),
  schema: parameters(params),
  tier: "read",
  replay: "safe",
  sessionOnly: true,
  summary: ({ questions }) => questions[0]?.question ?? "",
  // People take their time.
  timeoutMs: 0,
  async execute({ questions }, { services, signal }) {
    const questionList: readonly Question[] = questions;
    if (!services.answerer) {
      const text = renderQuestions(questionList);
      services.session?.awaitInput({ what: "question", text });
      return {
        content: [{ kind: "text", text: `Asked:\n${text}\nThe answer will come in the next message.` }],
        details: { questions: questionList as unknown as JsonValue, awaiting: true },
        effects: "none",
      };
    }
    const answers = await services.answerer(questionList, signal);
    if (!answers)
      throw new ToolFailure("The user did not answer. Continue with what you know, or stop and say what is missing.");
    return {
      content: [{ kind: "text", text: renderAnswers(questionList, answers) }],
      details: { answers: answers as unknown as JsonValue },
      effects: "none",
    };
  },
};
