// Every provider. Among those of the same priority the first wins.

import type { Provider } from "../look.ts";
import { native } from "./native.ts";

export const PROVIDERS: readonly Provider[] = [native];
