// `--provider`: the older way to name a model, with two options. On its own it limits the choice to that provider's
// models.

import type { ParsedArgs } from "./parse.ts";

export function withProvider(args: ParsedArgs): ParsedArgs {
  const { provider, ...options } = args.options;
  if (provider === undefined) return args;
  const { model, models = `${provider}/*` } = options;
  if (model === undefined) return { ...args, options: { ...options, models } };
  const named = model.startsWith(`${provider}/`) ? model : `${provider}/${model}`;
  return { ...args, options: { ...options, model: named } };
}
