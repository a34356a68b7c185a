// The models that the gateway offers: those of its user whose provider has a credential. Names must match exactly,
// because a client would not notice that it got another model.

import { type Api, type ClientDeps, InvalidRequestError, type ModelInfo, type ProviderAdapter } from "@lathe/llm";
import { findRow } from "@lathe/llm/providers";
import type { Target } from "@lathe/llm/serve";
import { adapterOf, type ModelWorkspace } from "../../../models/connect.ts";
import type { Models } from "../../../models/models.ts";
import type { ClientKey } from "../keys/key-file.ts";
import { namesModel } from "../keys/terms.ts";
import type { Habits } from "../money/most-of.ts";
import { GatewayRefusal } from "../server/refusal.ts";

export interface OfferedModel {
  readonly target: Target;
  readonly adapter: ProviderAdapter;
  readonly habits: Habits;
  /** The account in use now; its requests share the account's limits. */
  readonly account: () => string;
}

export class GatewayModels {
  readonly #workspace: ModelWorkspace;
  readonly #models: Models;
  readonly #deps: ClientDeps;
  readonly #opened = new Map<string, Promise<OfferedModel>>();
  /** Searching all models takes longer than everything else we do before sending a request. */
  readonly #byName = new Map<string, ModelInfo>();

  constructor(workspace: ModelWorkspace, models: Models) {
    this.#workspace = workspace;
    this.#models = models;
    this.#deps = gatewayDeps(workspace);
  }

  /** The models that a key may use. */
  list(key: ClientKey | undefined): readonly ModelInfo[] {
    const { registry, disabled } = this.#models;
    return registry
      .available()
      .filter((model) => !disabled.includes(model.provider) && apiOf(model, this.#models) !== undefined)
      .filter((model) => key?.models === undefined || namesModel(key.models, model));
  }

  /**
   * The first model with this id, or `provider/id`. Errors do not repeat the name: users sometimes paste keys there.
   */
  find(name: string, key: ClientKey | undefined): Promise<OfferedModel> {
    const named = this.#findByName(name);
    if (named === undefined)
      throw new GatewayRefusal("not_found", "There is no model of that name here. See: GET /v1/models", {
        field: "model",
        code: "model_not_found",
        isFinal: true,
      });
    if (key?.models !== undefined && !namesModel(key.models, named))
      throw new GatewayRefusal("forbidden", "This key may not use that model. See: GET /v1/models", {
        field: "model",
        code: "model_not_allowed",
        isFinal: true,
      });
    const id = `${named.provider}/${named.id}`;
    let opened = this.#opened.get(id);
    if (opened === undefined) {
      opened = this.#open(named);
      this.#opened.set(id, opened);
      // Do not remember a failure: the settings may be fixed while the gateway runs.
      opened.catch(() => this.#opened.delete(id));
    }
    return opened;
  }

  /** After credentials change, a name may mean another model. */
  forgetNames(): void {
    this.#byName.clear();
  }

  #findByName(name: string): ModelInfo | undefined {
    const known = this.#byName.get(name) ?? this.#lookUp(name);
    if (known !== undefined) this.#byName.set(name, known);
    return known;
  }

  #lookUp(name: string): ModelInfo | undefined {
    const { registry, disabled } = this.#models;
    const slash = name.indexOf("/");
    const exact = slash > 0 ? registry.get(name.slice(0, slash), name.slice(slash + 1)) : undefined;
    if (exact && registry.isAvailable(exact.provider) && !disabled.includes(exact.provider)) return exact;
    const offered = this.list(undefined);
    return offered.find(({ id }) => id === name) ?? offered.find(({ aliases }) => aliases.includes(name));
  }

  async #open(model: ModelInfo): Promise<OfferedModel> {
    const { provider, id } = model;
    const api = apiOf(model, this.#models);
    if (api === undefined) throw new GatewayRefusal("not_found", "This model cannot be reached from here.");
    const choice = { provider, id, info: model };
    const adapter = await adapterOf(this.#workspace, this.#models, choice, { websocket: "off" }, this.#deps);
    const { settings } = this.#workspace;
    const keepsLong = (model.cacheRetention ?? settings.cacheRetention) === "long";
    return {
      target: { provider, api, model },
      adapter,
      habits: { keepsLong, usualAnswer: settings.maxOutputTokens },
      account: () => accountName(provider, this.#workspace.accountChoices?.current(provider)?.id),
    };
  }
}

const accountName = (provider: string, id: string | undefined): string =>
  id === undefined ? provider : `${provider}/${id}`;

export const providerOfAccount = (account: string): string => account.split("/")[0] ?? account;

function apiOf(model: ModelInfo, models: Models): Api | undefined {
  return model.api ?? models.configOf(model.provider)?.api ?? findRow(model.provider)?.api;
}

/** What the gateway's requests take from the machine: its settings may name files, its clients may not. */
export const gatewayDeps = ({ machine, env }: ModelWorkspace): ClientDeps => ({
  ...machine.deps,
  env,
  readMedia: refuseFile,
});

/** Otherwise a client could read files of the gateway's machine by naming them as pictures. */
const refuseFile = (): Promise<never> =>
  Promise.reject(
    new InvalidRequestError("The gateway reads no files for its clients. Send the content itself.", {
      provider: "gateway",
    }),
  );
