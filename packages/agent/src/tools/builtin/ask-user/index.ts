import type { JsonObject, JsonValue } from "@lathe/llm";
import { flag, integer, listOf, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import type { CardBody, CardLine } from "../../../contract/card.ts";
import { type Answer, type Question, renderAnswers, renderQuestions } from "../../../contract/questions.ts";
import { type ToolDef, ToolFailure } from "../../../contract/tool.ts";
import { COLLAPSED_LINES, objectsIn, verbOf } from "../card.ts";
import description from "./description.md";

const params = {
  questions: listOf(
    object({
      id: text("Short name of the question"),
      question: text(),
      options: listOf(object({ label: text() })),
      multi: optional(flag("Several options may be chosen")),
      recommended: optional(integer({ description: "Index of the option you would take, counted from 0", minimum: 0 })),
    }),
    { minItems: 1 },
  ),
};

function answerLines(questions: readonly Question[], { answers }: JsonObject): CardBody | undefined {
  const lines = objectsIn(answers).map((given): CardLine => {
    const { id, selected, custom } = given as unknown as Answer;
    const question = questions.length > 1 ? `${questions.find((one) => one.id === id)?.question ?? id} ` : "";
    return { text: question + (custom ?? selected.join(", ")), kind: "done" };
  });
  return lines.length === 0 ? undefined : { kind: "lines", lines, collapsed: COLLAPSED_LINES };
}

export const askUserTool: ToolDef<StaticFields<typeof params>> = {
  name: "ask_user",
  label: "Ask",
  description: description.trim(),
  schema: object(params),
  tier: "read",
  replay: "safe",
  sessionOnly: true,
  summary: ({ questions }) => questions[0]?.question ?? "",
  card: ({ questions }, result) => ({
    verb: verbOf(["Asking", "Asked", "Ask"], result),
    subject: questions.map(({ question }) => question).join(" "),
    body: result && !result.isError ? answerLines(questions, result.details) : undefined,
    asks: true,
  }),
  // The user may take any time to answer.
  timeoutMs: 0,
  async execute({ questions }, { services, signal, callId }) {
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
    const answers = await services.answerer(questionList, signal, callId);
    if (!answers)
      throw new ToolFailure("The user did not answer. Continue with what you know, or stop and say what is missing.");
    return {
      content: [{ kind: "text", text: renderAnswers(questionList, answers) }],
      details: { answers: answers as unknown as JsonValue },
      effects: "none",
    };
  },
};
