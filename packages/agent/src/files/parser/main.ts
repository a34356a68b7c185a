// The parser process. It is a program of its own, so that what foreign bytes do to it ends with it.

import { serve } from "./serve.ts";
import { TASKS } from "./tasks/index.ts";

await serve(TASKS);
