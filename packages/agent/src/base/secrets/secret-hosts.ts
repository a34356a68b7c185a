// Which hosts a key belongs to, as far as its shape shows.

const HOSTS: readonly (readonly [shape: RegExp, ...hosts: string[]])[] = [
  [/^(?:gh[pousr]_|github_pat_)/, "api.github.com", "github.com"],
  [/^glpat-/, "gitlab.com"],
  [/^sk-ant-/, "api.anthropic.com"],
  [/^sk-or-/, "openrouter.ai"],
  [/^sk-(?:proj|svcacct)-/, "api.openai.com"],
  [/^xox[abeoprs]-/, "slack.com"],
  [/^hf_/, "huggingface.co"],
  [/^[sr]k_(?:live|test)_/, "api.stripe.com"],
];

export function hostsByShape(value: string): readonly string[] {
  return HOSTS.flatMap(([shape, ...hosts]) => (shape.test(value) ? hosts : []));
}
