// The parser process. It is a separate program, so that whatever foreign bytes do to it ends with it.

import { serve } from "./serve.ts";
import { TASKS } from "./tasks/index.ts";

await serve(TASKS);
