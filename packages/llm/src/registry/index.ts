// The registry's public face.

export { type ConfigProblem, checkRegistryConfig } from "./check-config.ts";
export {
  type CustomModel,
  configuredKey,
  keyVariable,
  type ModelBindings,
  type ModelFields,
  type ModelPreset,
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
} from "./select.ts";
