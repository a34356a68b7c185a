// The plain requests: show, find, run, create, replace. Each takes one or two tools.

import { bash, exitCodeOf, jobOf, type Play, read, shellQuote } from "../play.ts";

export function* show(path: string): Play {
  const result = yield read(path, `I will show ${path}.`);
  return result.isError ? `That did not work: ${result.text}` : `Here is ${path}:\n\n${result.text}`;
}

export function* list(path: string): Play {
  const result = yield bash(`ls -la ${shellQuote(path)}`, `I will list ${path === "." ? "this directory" : path}.`);
  return result.text;
}

export function* find(text: string): Play {
  const result = yield bash(
    `grep -rnI --exclude-dir=node_modules --exclude-dir=.git -F -- ${shellQuote(text)} . | head -n 50`,
    `I will look for "${text}" in all files.`,
  );
  const hits = /^stdout:\n([\s\S]*?)\nexit code/.exec(result.text)?.[1];
  return hits ? `Found:\n\n${hits}` : `"${text}" does not occur in this directory.`;
}

export function* run(command: string): Play {
  const result = yield bash(command, `I will run \`${command}\`.`);
  const job = jobOf(result);
  if (job !== undefined) return `It continues in the background as job ${job}. /jobs ${job} shows its output.`;
  const code = exitCodeOf(result);
  if (code < 0) return `That did not work: ${result.text}`;
  return `${code === 0 ? "It succeeded." : `It ended with exit code ${code}.`}\n\n${result.text}`;
}

export function* create(path: string, content: string): Play {
  const result = yield {
    say: `I will create ${path}.`,
    call: {
      name: "write",
      args: { file_path: path, content: content.endsWith("\n") || content === "" ? content : `${content}\n` },
    },
  };
  return result.isError ? `That did not work: ${result.text}` : `Done: ${result.text}`;
}

export function* replace(before: string, after: string, path: string): Play {
  const result = yield {
    say: `I will replace "${before}" by "${after}" in ${path}.`,
    call: { name: "edit", args: { file_path: path, old_string: before, new_string: after } },
  };
  return result.isError ? `That did not work: ${result.text}` : `Done: ${result.text}`;
}
