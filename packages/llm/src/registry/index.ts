// The registry's public face.

export {
  type CustomModel,
  checkRegistryConfig,
  type ModelFields,
  type ProviderConfig,
  type RegistryConfig,
} from "./config.ts";
export { defaultModels } from "./defaults.ts";
export { type Discovery, Registry, type RegistryOptions } from "./registry.ts";
export {
  expandModels,
  type InitialChoice,
  initialModel,
  type MatchKind,
  type Selection,
  selectModel,
  splitEffort,
} from "./select.ts";
