// The names and parameters that GPT models know from Codex: commands and patches, files are looked at with commands.

import { choice, integer, listOf, object, optional, type StaticFields, text } from "@lathe/llm/schema";
import { type ToolDef, ToolFailure } from "../../../../contract/tool.ts";
import { open } from "../../../../files/read/open.ts";
import { applyPatchTool } from "../../apply-patch/index.ts";
import { askUserTool } from "../../ask-user/index.ts";
import { exploringCard, verbOf } from "../../card.ts";
import { closeAgentTool } from "../../close-agent/index.ts";
import { exitPlanModeTool } from "../../exit-plan-mode/index.ts";
import { fileAccess } from "../../file-access.ts";
import { otherResult, readFileTool } from "../../read-file/index.ts";
import { sendInputTool } from "../../send-input/index.ts";
import { spawnAgentTool } from "../../spawn-agent/index.ts";
import { waitTool } from "../../wait/index.ts";
import { faceOf } from "../face.ts";
import { wholeListTool } from "../todo-face.ts";
import { execCommandTool, writeStdinTool } from "./exec.ts";
import addressDescription from "./read-address.md";
import requestDescription from "./request-user-input.md";
import planDescription from "./update-plan.md";
import imageDescription from "./view-image.md";

const updatePlan = faceOf(wholeListTool, {
  name: "update_plan",
  description: planDescription,
  params: {
    explanation: optional(text("Why the plan changes")),
    plan: listOf(
      object(
        { step: text("The step"), status: choice(["pending", "in_progress", "completed"], "Its status") },
        "A step",
      ),
      "The whole plan",
    ),
  },
  toInner: ({ plan }) => plan.map(({ step, status }) => ({ content: step, status })),
});

const imageParams = { path: text("Path of the image") };

const viewImage: ToolDef<StaticFields<typeof imageParams>> = {
  name: "view_image",
  label: "Look",
  description: imageDescription.trim(),
  schema: object(imageParams),
  tier: "read",
  replay: "safe",
  access: ({ path }, scope) => fileAccess("read", [path], scope),
  summary: ({ path }) => path,
  card: ({ path }, result) =>
    exploringCard(["Looking at", "Looked at", "Look at"], path, result, ({ mediaType }) =>
      typeof mediaType === "string" ? mediaType : undefined,
    ),
  async execute({ path }, context) {
    const opened = await open(path, context);
    if (opened.kind !== "image")
      throw new ToolFailure(`${path} is not an image (png, jpeg, gif, webp). Read it with a command.`);
    return otherResult(opened, context);
  },
};

const addressParams = {
  address: text("The address, such as artifact://3"),
  offset: optional(integer({ description: "First line to show, counted from 1", minimum: 1 })),
  limit: optional(integer({ description: "How many lines to show; 2000 when not given", minimum: 1 })),
};

const addressReader = faceOf(readFileTool, {
  name: "read_address",
  description: addressDescription,
  params: addressParams,
  toInner: ({ address, ...window }) => ({ file_path: address, ...window }),
});

/** Files are looked at with commands, which cannot open what lies on the host: output that was cut, skills, rules, resources of servers. */
const readAddress: typeof addressReader = {
  ...addressReader,
  async execute(args, context) {
    if (!context.services.schemes?.handles(args.address))
      throw new ToolFailure(`${args.address} is no address that can be read. Look at files with exec_command.`);
    return addressReader.execute(args, context);
  },
};

const requestUserInput = faceOf(askUserTool, {
  name: "request_user_input",
  description: requestDescription,
  params: {
    questions: listOf(
      object(
        {
          id: text("Short name of the question, to distinguish the answers"),
          header: optional(text("Its subject in one or two words")),
          question: text("The question"),
          options: listOf(
            object({ label: text("The option"), description: optional(text("What it means")) }, "An option"),
            "Answers to choose from",
          ),
        },
        "A question",
      ),
      { description: "What to ask", minItems: 1 },
    ),
  },
  toInner: ({ questions }) => ({ questions }),
});

const waitParams = {
  targets: listOf(text("An agent's id"), { description: "The agents to wait for", minItems: 1 }),
  timeout_ms: optional(
    integer({ description: "Accepted but ignored: the call ends when the agents have", minimum: 0 }),
  ),
};

const waitAgent: ToolDef<StaticFields<typeof waitParams>> = {
  ...(waitTool as unknown as ToolDef<StaticFields<typeof waitParams>>),
  name: "wait_agent",
  summary: ({ targets }) => targets.join(", "),
  card: ({ targets }, result) => ({
    verb: verbOf(["Waiting for", "Waited for", "Wait for"], result),
    subject: targets.join(", "),
  }),
  schema: object(waitParams),
  async execute({ targets }, context) {
    const results = await Promise.all(targets.map(async (id) => [id, await waitOne(id, context)]));
    return JSON.stringify(Object.fromEntries(results));
  },
};

async function waitOne(id: string, context: Parameters<typeof waitTool.execute>[1]): Promise<unknown> {
  return JSON.parse(String(await waitTool.execute({ agent_id: id }, context)));
}

const target = text("The agent's id");

export const codexTools = [
  execCommandTool,
  writeStdinTool,
  faceOf(applyPatchTool, {
    name: "apply_patch",
    params: { input: text("The patch, from `*** Begin Patch` to `*** End Patch`") },
    toInner: ({ input }) => ({ patch: input }),
    shows: ["input"],
  }),
  updatePlan,
  viewImage,
  readAddress,
  requestUserInput,
  faceOf(spawnAgentTool, {
    name: "spawn_agent",
    params: { message: text("The whole task for the agent, with everything it needs to know") },
    toInner: ({ message }) => ({ task: message }),
  }),
  faceOf(sendInputTool, {
    name: "send_input",
    params: { target, message: text("What to tell it") },
    toInner: (args) => ({ agent_id: args.target, message: args.message }),
  }),
  waitAgent,
  faceOf(closeAgentTool, {
    name: "close_agent",
    params: { target },
    toInner: (args) => ({ agent_id: args.target }),
  }),
  exitPlanModeTool,
] as const;
