// Settings for what is discovered in files: skills, commands, rules, extensions.

import { choice, flag, integer, type Schema } from "@lathe/llm/schema";
import { wordList } from "./setting-kinds.ts";

export const FOUND_SETTINGS = {
  "skills.enabled": flag({ default: true, description: "tell the model about the skills that were found" }),
  "skills.enableSkillCommands": flag({ default: true, description: "make every skill a command as well: /skill:name" }),
  "skills.enableLatheUser": flag({ default: true, description: "use the skills in ~/.lathe/skills" }),
  "skills.enableLatheProject": flag({ default: true, description: "use the skills in .lathe/skills of a project" }),
  "skills.enableClaudeUser": flag({ default: true, description: "use the skills in ~/.claude/skills" }),
  "skills.enableClaudeProject": flag({ default: true, description: "use the skills in .claude/skills of a project" }),
  "skills.enableCodexUser": flag({ default: true, description: "use the skills in ~/.codex/skills" }),
  "skills.customDirectories": wordList({ description: "more folders of skills; each skill is a folder in them" }),
  "skills.includeSkills": wordList({
    description: "only skills whose name matches one of these; empty = all; * is a wildcard",
  }),
  "skills.ignoredSkills": wordList({ description: "no skill whose name matches one of these; * is a wildcard" }),
  "commands.enableClaudeUser": flag({ default: true, description: "use the commands in ~/.claude/commands" }),
  "commands.enableClaudeProject": flag({
    default: true,
    description: "use the commands in .claude/commands of a project",
  }),
  "commands.enableOpencodeUser": flag({ default: true, description: "use the commands of opencode's user folder" }),
  "commands.enableOpencodeProject": flag({
    default: true,
    description: "use the commands in .opencode/command of a project",
  }),
  "ttsr.enabled": flag({ default: true, description: "rules with a condition watch what the model writes" }),
  "ttsr.interruptMode": choice(["never", "prose-only", "tool-only", "always"], {
    default: "always",
    description: "in which text a broken rule stops the answer; elsewhere the model is reminded afterwards",
  }),
  "discovery.disabledProviders": wordList({
    description: "agents whose files are ignored, such as claude or cursor; see lathe discover providers",
  }),
  "discovery.disabledItems": wordList({
    description: "found items to ignore, as kind:name, such as skill:review",
  }),
  extensions: wordList({ description: "more files or folders of extensions to load" }),
  "timeouts.extension": integer({ minimum: 1, default: 10, description: "seconds an extension's code may take" }),
} as const satisfies Record<string, Schema>;
