// Models behind gateways.
// One JSON line per model, newest first, parsed only when asked for. Prices are US dollars per million tokens: input,
// output, cache read, cache write; where a vendor charges more for long prompts, the lower step. Kind of source: public
// model listings in models.dev form as of 2026-07-01; for later models public model and price pages as of 2026-11-15. A
// month without a day means that only the month is known.

export const gateways: Readonly<Record<string, () => string>> = {
  openrouter: () => `
{"id":"anthropic/claude-sonnet-5","name":"Claude Sonnet 5","context":1000000,"output":128000,"input":"text image document","price":[2,10,0.2,2.5],"thinking":"effort off low medium high xhigh max","released":"2026-06-30","knowledge":"2026-01-31"}
{"id":"sakana/fugu-ultra","name":"Fugu Ultra","context":1000000,"output":128000,"input":"text image","price":[5,30,0.5,0],"thinking":"effort high xhigh max","released":"2026-06-24"}
{"id":"z-ai/glm-5.2","name":"GLM-5.2","context":1048576,"output":32768,"price":[0.93,3,0.18,0],"thinking":"effort high xhigh","released":"2026-06-13"}
{"id":"moonshotai/kimi-k2.7-code","name":"Kimi K2.7 Code","context":262144,"output":16384,"input":"text image","price":[0.74,3.5,0.15,0],"thinking":"toggle high","released":"2026-06-12","knowledge":"2025-01"}
{"id":"~anthropic/claude-fable-latest","name":"Claude Fable Latest","context":1000000,"output":128000,"input":"text image document","price":[10,50,1,12.5],"thinking":"effort off minimal low medium high","released":"2026-06-09"}
{"id":"nvidia/nemotron-3-ultra-550b-a55b","name":"Nemotron 3 Ultra 550B A55B","context":262144,"output":16384,"price":[0.5,2.2,0.1,0],"thinking":"effort medium high","released":"2026-06-04"}
{"id":"qwen/qwen3.7-plus","name":"Qwen3.7 Plus","context":1000000,"output":65536,"input":"text image","price":[0.32,1.28,0.064,0.4],"thinking":"toggle off high","released":"2026-06-02","knowledge":"2025-04"}
{"id":"minimax/minimax-m3","name":"MiniMax-M3","context":524288,"output":512000,"input":"text image","price":[0.3,1.2,0.06,0],"thinking":"toggle high","released":"2026-06-01"}
{"id":"stepfun/step-3.7-flash","name":"Step 3.7 Flash","context":256000,"output":256000,"input":"text image","price":[0.2,1.15,0.04,0],"thinking":"effort low medium high","released":"2026-05-29","knowledge":"2026-01-01"}
{"id":"anthropic/claude-opus-4.8","name":"Claude Opus 4.8","context":1000000,"output":128000,"input":"text image document","price":[5,25,0.5,6.25],"thinking":"effort off low medium high xhigh max","released":"2026-05-28"}
{"id":"anthropic/claude-opus-4.8-fast","name":"Claude Opus 4.8 (Fast)","context":1000000,"output":128000,"input":"text image document","price":[10,50,1,12.5],"thinking":"effort off low medium high xhigh max","released":"2026-05-27"}
{"id":"qwen/qwen3.7-max","name":"Qwen3.7 Max","context":1000000,"output":65536,"price":[1.25,3.75,0.25,1.5625],"thinking":"toggle off high","released":"2026-05-21"}
{"id":"google/gemini-3.5-flash","name":"Gemini 3.5 Flash","context":1048576,"output":65536,"input":"text image audio document","price":[1.5,9,0.15,0.083333],"thinking":"effort minimal low medium high","released":"2026-05-19","knowledge":"2025-01"}
{"id":"anthropic/claude-opus-4.7-fast","name":"Claude Opus 4.7 (Fast)","context":1000000,"output":128000,"input":"text image document","price":[30,150,3,37.5],"thinking":"effort off low medium high xhigh max","released":"2026-05-12"}
{"id":"inclusionai/ring-2.6-1t","name":"Ring-2.6-1T","context":262144,"output":65536,"price":[0.075,0.625,0.015,0],"thinking":"effort high xhigh","released":"2026-05-08"}
{"id":"google/gemini-3.1-flash-lite","name":"Gemini 3.1 Flash Lite","context":1048576,"output":65536,"input":"text image audio document","price":[0.25,1.5,0.025,0.083333],"thinking":"effort minimal low medium high","released":"2026-05-07","knowledge":"2025-01"}
{"id":"openai/gpt-chat-latest","name":"GPT Chat Latest","context":400000,"output":128000,"input":"text image document","price":[5,30,0.5,0],"released":"2026-05-05"}
{"id":"mistralai/mistral-medium-3-5","name":"Mistral Medium 3.5","context":262144,"output":262144,"input":"text image document","price":[1.5,7.5,0,0],"thinking":"effort off high","released":"2026-04-30"}
{"id":"ibm-granite/granite-4.1-8b","name":"Granite 4.1 8B","context":131072,"output":131072,"price":[0.05,0.1,0.05,0],"released":"2026-04-30"}
{"id":"poolside/laguna-xs.2","name":"Laguna XS.2","context":262144,"output":32768,"price":[0.1,0.2,0.05,0],"thinking":"toggle high","released":"2026-04-28"}
{"id":"poolside/laguna-m.1","name":"Laguna M.1","context":262144,"output":32768,"price":[0.2,0.4,0.1,0],"thinking":"toggle high","released":"2026-04-28"}
{"id":"~openai/gpt-mini-latest","name":"OpenAI GPT Mini Latest","context":400000,"output":128000,"input":"text document image","price":[0.75,4.5,0.075,0],"thinking":"effort off low medium high xhigh","released":"2026-04-27","knowledge":"2025-08-31"}
{"id":"~openai/gpt-latest","name":"OpenAI GPT Latest","context":1050000,"output":128000,"input":"text document image","price":[5,30,0.5,0],"thinking":"effort off low medium high xhigh","released":"2026-04-27","knowledge":"2025-12-01"}
{"id":"~moonshotai/kimi-latest","name":"MoonshotAI Kimi Latest","context":262144,"output":262144,"input":"text image","price":[0.55,3.2,0.11,0],"thinking":"toggle high","released":"2026-04-27"}
{"id":"~google/gemini-pro-latest","name":"Google Gemini Pro Latest","context":1048576,"output":65536,"input":"text audio document image","price":[2,12,0.2,0.375],"thinking":"effort low medium high","released":"2026-04-27"}
{"id":"~google/gemini-flash-latest","name":"Google Gemini Flash Latest","context":1048576,"output":65536,"input":"text image document audio","price":[1.5,9,0.15,0.083333],"thinking":"effort minimal low medium high","released":"2026-04-27","knowledge":"2025-01-01"}
{"id":"~anthropic/claude-sonnet-latest","name":"Anthropic Claude Sonnet Latest","context":1000000,"output":128000,"input":"text image document","price":[2,10,0.2,2.5],"thinking":"effort off minimal low medium high","released":"2026-04-27"}
{"id":"~anthropic/claude-haiku-latest","name":"Anthropic Claude Haiku Latest","context":200000,"output":64000,"input":"text image document","price":[1,5,0.1,1.25],"thinking":"effort off minimal low medium high","released":"2026-04-27"}
{"id":"qwen/qwen3.6-flash","name":"Qwen3.6 Flash","context":1000000,"output":65536,"input":"text image","price":[0.1875,1.125,0,0.234375],"thinking":"toggle off high","released":"2026-04-27"}
{"id":"qwen/qwen3.5-plus-20260420","name":"Qwen3.5 Plus 2026-04-20","context":1000000,"output":65536,"input":"text image","price":[0.3,1.8,0,0.375],"thinking":"toggle off high","released":"2026-04-27"}
{"id":"deepseek/deepseek-v4-pro","name":"DeepSeek V4 Pro","context":1048576,"output":384000,"price":[0.435,0.87,0.003625,0],"thinking":"effort off high xhigh","released":"2026-04-24","knowledge":"2025-05"}
{"id":"deepseek/deepseek-v4-flash","name":"DeepSeek V4 Flash","context":1048575,"output":65536,"price":[0.098,0.196,0.02,0],"thinking":"effort off high xhigh","released":"2026-04-24","knowledge":"2025-05"}
{"id":"openai/gpt-5.5-pro","name":"GPT-5.5 Pro","context":1050000,"output":128000,"input":"text image document","price":[30,180,0,0],"thinking":"effort medium high xhigh","released":"2026-04-23","knowledge":"2025-12-01"}
{"id":"openai/gpt-5.5","name":"GPT-5.5","context":1050000,"output":128000,"input":"text image document","price":[5,30,0.5,0],"thinking":"effort off low medium high xhigh","released":"2026-04-23","knowledge":"2025-12-01"}
{"id":"inclusionai/ling-2.6-1t","name":"Ling-2.6-1T","context":262144,"output":32768,"price":[0.075,0.625,0.015,0],"released":"2026-04-23"}
{"id":"xiaomi/mimo-v2.5-pro","name":"MiMo-V2.5-Pro","context":1048576,"output":131072,"price":[0.435,0.87,0.0036,0],"thinking":"toggle off high","released":"2026-04-22","knowledge":"2024-12"}
{"id":"xiaomi/mimo-v2.5","name":"MiMo-V2.5","context":32000,"output":131072,"input":"text image audio","price":[0.105,0.28,0,0],"thinking":"toggle off high","released":"2026-04-22","knowledge":"2024-12"}
{"id":"qwen/qwen3.6-27b","name":"Qwen3.6 27B","context":262140,"output":262140,"input":"text image","price":[0.285,2.4,0,0],"thinking":"toggle off high","released":"2026-04-22"}
{"id":"~anthropic/claude-opus-latest","name":"Claude Opus Latest","context":1000000,"output":128000,"input":"text image document","price":[5,25,0.5,6.25],"thinking":"effort off minimal low medium high","released":"2026-04-21"}
{"id":"moonshotai/kimi-k2.6","name":"Kimi K2.6","context":262144,"output":262144,"input":"text image","price":[0.55,3.2,0.11,0],"thinking":"toggle high","released":"2026-04-21","knowledge":"2025-01"}
{"id":"inclusionai/ling-2.6-flash","name":"Ling-2.6-flash","context":262144,"output":32768,"price":[0.01,0.03,0.002,0],"released":"2026-04-21"}
{"id":"tencent/hy3-preview","name":"Hy3 preview","context":262144,"output":262144,"price":[0.063,0.21,0.021,0],"thinking":"effort off low high","released":"2026-04-20"}
{"id":"qwen/qwen3.6-max-preview","name":"Qwen3.6 Max Preview","context":262144,"output":65536,"price":[1.04,6.24,0,1.3],"thinking":"toggle off high","released":"2026-04-20","knowledge":"2025-04"}
{"id":"x-ai/grok-4.3","name":"Grok 4.3","context":1000000,"output":1000000,"input":"text image document","price":[1.25,2.5,0.2,0],"thinking":"effort off low medium high","released":"2026-04-17"}
{"id":"qwen/qwen3.6-35b-a3b","name":"Qwen3.6 35B-A3B","context":262144,"output":262144,"input":"text image","price":[0.14,1,0,0],"thinking":"toggle off high","released":"2026-04-17"}
{"id":"x-ai/grok-build-0.1","name":"Grok Build 0.1","context":256000,"output":256000,"input":"text image","price":[1,2,0.2,0],"thinking":"toggle high","released":"2026-04-16"}
{"id":"anthropic/claude-opus-4.7","name":"Claude Opus 4.7","context":1000000,"output":128000,"input":"text image document","price":[5,25,0.5,6.25],"thinking":"effort off low medium high xhigh max","released":"2026-04-16","knowledge":"2026-01-31"}
{"id":"z-ai/glm-5.1","name":"GLM-5.1","context":65536,"output":128000,"price":[0.975,4.3,0,0],"thinking":"toggle high","released":"2026-04-07"}
{"id":"qwen/qwen3.6-plus","name":"Qwen3.6 Plus","context":1000000,"output":65536,"input":"text image","price":[0.325,1.95,0,0.40625],"thinking":"toggle off high","released":"2026-04-02","knowledge":"2025-04"}
{"id":"google/gemma-4-31b-it","name":"Gemma 4 31B IT","context":262144,"output":262144,"input":"text image","price":[0.12,0.35,0.09,0],"thinking":"toggle off high","released":"2026-04-02"}
{"id":"google/gemma-4-26b-a4b-it","name":"Gemma 4 26B A4B IT","context":262144,"output":262144,"input":"text image","price":[0.06,0.33,0,0],"thinking":"toggle off high","released":"2026-04-02"}
{"id":"z-ai/glm-5v-turbo","name":"GLM-5V-Turbo","context":202752,"output":131072,"input":"text image","price":[1.2,4,0.24,0],"thinking":"toggle high","released":"2026-04-01"}
{"id":"arcee-ai/trinity-large-thinking","name":"Trinity Large Thinking","context":262144,"output":80000,"price":[0.25,0.8,0.06,0],"thinking":"toggle high","released":"2026-04-01"}
{"id":"x-ai/grok-4.20","name":"Grok 4.20","context":2000000,"output":2000000,"input":"text image document","price":[1.25,2.5,0.2,0],"thinking":"toggle high","released":"2026-03-31","knowledge":"2025-09-01"}
{"id":"kwaipilot/kat-coder-pro-v2","name":"KAT-Coder-Pro V2","context":256000,"output":80000,"price":[0.3,1.2,0.06,0],"released":"2026-03-27"}
{"id":"rekaai/reka-edge","name":"Reka Edge","context":16384,"output":16384,"input":"text image","price":[0.1,0.1,0,0],"released":"2026-03-20"}
{"id":"minimax/minimax-m2.7","name":"MiniMax-M2.7","context":196608,"output":196608,"price":[0.18,0.72,0,0],"thinking":"toggle high","released":"2026-03-18"}
{"id":"openai/gpt-5.4-nano","name":"GPT-5.4 nano","context":400000,"output":128000,"input":"text document image","price":[0.2,1.25,0.02,0],"thinking":"effort off low medium high xhigh","released":"2026-03-17","knowledge":"2025-08-31"}
{"id":"openai/gpt-5.4-mini","name":"GPT-5.4 mini","context":400000,"output":128000,"input":"text document image","price":[0.75,4.5,0.075,0],"thinking":"effort off low medium high xhigh","released":"2026-03-17","knowledge":"2025-08-31"}
{"id":"z-ai/glm-5-turbo","name":"GLM-5-Turbo","context":262144,"output":131072,"price":[1.2,4,0.24,0],"thinking":"toggle high","released":"2026-03-16"}
{"id":"mistralai/mistral-small-2603","name":"Mistral Small 4","context":262144,"output":262144,"input":"text image","price":[0.15,0.6,0.015,0],"thinking":"effort off high","released":"2026-03-16","knowledge":"2025-06"}
{"id":"nvidia/nemotron-3-super-120b-a12b","name":"Nemotron 3 Super 120B A12B","context":262144,"output":16384,"price":[0.085,0.4,0,0],"thinking":"effort low medium","released":"2026-03-11"}
{"id":"bytedance-seed/seed-2.0-lite","name":"Seed-2.0-Lite","context":262144,"output":131072,"input":"text image","price":[0.25,2,0,0],"thinking":"effort minimal low medium high","released":"2026-03-10"}
{"id":"openai/gpt-5.4-pro","name":"GPT-5.4 Pro","context":1050000,"output":128000,"input":"text image document","price":[30,180,0,0],"thinking":"effort medium high xhigh","released":"2026-03-05","knowledge":"2025-08-31"}
{"id":"openai/gpt-5.4","name":"GPT-5.4","context":1050000,"output":128000,"input":"text image document","price":[2.5,15,0.25,0],"thinking":"effort off low medium high xhigh","released":"2026-03-05","knowledge":"2025-08-31"}
{"id":"inception/mercury-2","name":"Mercury 2","context":128000,"output":50000,"price":[0.25,0.75,0.025,0],"thinking":"effort off low medium high","released":"2026-03-04"}
{"id":"openai/gpt-5.3-chat","name":"GPT-5.3 Chat","context":128000,"output":16384,"input":"text image document","price":[1.75,14,0.175,0],"released":"2026-03-03"}
{"id":"google/gemini-3.1-flash-lite-preview","name":"Gemini 3.1 Flash Lite Preview","context":1048576,"output":65536,"input":"text image audio document","price":[0.25,1.5,0.025,0.083333],"thinking":"effort minimal low medium high","released":"2026-03-03","knowledge":"2025-01"}
{"id":"bytedance-seed/seed-2.0-mini","name":"Seed-2.0-Mini","context":262144,"output":131072,"input":"text image","price":[0.1,0.4,0,0],"thinking":"effort minimal low medium high","released":"2026-02-26"}
{"id":"qwen/qwen3.5-flash-02-23","name":"Qwen3.5-Flash","context":1000000,"output":65536,"input":"text image","price":[0.065,0.26,0,0],"thinking":"toggle off high","released":"2026-02-25"}
{"id":"qwen/qwen3.5-9b","name":"Qwen3.5 9B","context":262144,"output":262144,"input":"text image","price":[0.1,0.15,0,0],"thinking":"toggle off high","released":"2026-02-23"}
{"id":"qwen/qwen3.5-35b-a3b","name":"Qwen3.5 35B-A3B","context":262144,"output":81920,"input":"text image","price":[0.14,1,0.05,0],"thinking":"toggle off high","released":"2026-02-23"}
{"id":"qwen/qwen3.5-27b","name":"Qwen3.5 27B","context":262144,"output":65536,"input":"text image","price":[0.195,1.56,0,0],"thinking":"toggle off high","released":"2026-02-23"}
{"id":"qwen/qwen3.5-122b-a10b","name":"Qwen3.5 122B-A10B","context":262144,"output":262144,"input":"text image","price":[0.26,2.08,0,0],"thinking":"toggle off high","released":"2026-02-23"}
{"id":"google/gemini-3.1-pro-preview","name":"Gemini 3.1 Pro Preview","context":1048576,"output":65536,"input":"text image audio document","price":[2,12,0.2,0.375],"thinking":"effort low medium high","released":"2026-02-19","knowledge":"2025-01"}
{"id":"anthropic/claude-sonnet-4.6","name":"Claude Sonnet 4.6","context":1000000,"output":128000,"input":"text image document","price":[3,15,0.3,3.75],"thinking":"effort off low medium high max","released":"2026-02-17","knowledge":"2025-08-31"}
{"id":"qwen/qwen3.5-plus-02-15","name":"Qwen3.5 Plus 2026-02-15","context":1000000,"output":65536,"input":"text image","price":[0.26,1.56,0,0],"thinking":"toggle off high","released":"2026-02-16","knowledge":"2025-04"}
{"id":"qwen/qwen3.5-397b-a17b","name":"Qwen3.5 397B-A17B","context":131072,"output":64000,"input":"text image","price":[0.385,2.45,0,0],"thinking":"toggle off high","released":"2026-02-15"}
{"id":"z-ai/glm-5","name":"GLM-5","context":202752,"output":128000,"price":[0.6,1.92,0.12,0],"thinking":"toggle high","released":"2026-02-12"}
{"id":"minimax/minimax-m2.5","name":"MiniMax-M2.5","context":196608,"output":196608,"price":[0.12,0.48,0,0],"thinking":"toggle high","released":"2026-02-12"}
{"id":"qwen/qwen3-max-thinking","name":"Qwen3 Max Thinking","context":262144,"output":32768,"price":[0.78,3.9,0,0],"thinking":"toggle high","released":"2026-02-09"}
{"id":"openai/gpt-5.3-codex","name":"GPT-5.3 Codex","context":400000,"output":128000,"input":"text image document","price":[1.75,14,0.175,0],"thinking":"effort low medium high xhigh","released":"2026-02-05","knowledge":"2025-08-31"}
{"id":"anthropic/claude-opus-4.6","name":"Claude Opus 4.6","context":1000000,"output":128000,"input":"text image document","price":[5,25,0.5,6.25],"thinking":"effort off low medium high max","released":"2026-02-05","knowledge":"2025-05-31"}
{"id":"qwen/qwen3-coder-next","name":"Qwen3 Coder Next","context":262144,"output":262144,"price":[0.11,0.8,0.07,0],"released":"2026-02-04"}
{"id":"openrouter/free","name":"Free Models Router","context":200000,"output":8000,"input":"text image","price":[0,0,0,0],"thinking":"toggle high","released":"2026-02-01"}
{"id":"stepfun/step-3.5-flash","name":"Step 3.5 Flash","context":262144,"output":65536,"price":[0.1,0.3,0,0],"thinking":"toggle high","released":"2026-01-29","knowledge":"2025-01"}
{"id":"upstage/solar-pro-3","name":"Solar Pro 3","context":128000,"output":128000,"price":[0.15,0.6,0.015,0],"thinking":"toggle high","released":"2026-01-27"}
{"id":"z-ai/glm-4.7-flash","name":"GLM-4.7-Flash","context":202752,"output":16384,"price":[0.06,0.4,0.01,0],"thinking":"toggle high","released":"2026-01-19","knowledge":"2025-04"}
{"id":"moonshotai/kimi-k2.5","name":"Kimi K2.5","context":256000,"output":256000,"input":"text image","price":[0.375,2.025,0,0],"thinking":"toggle high","released":"2026-01","knowledge":"2025-01"}
`,
  "opencode-zen": () => `
{"id":"claude-sonnet-5","name":"Claude Sonnet 5","context":1000000,"output":128000,"input":"text image document","price":[2,10,0.2,2.5],"thinking":"effort off low medium high xhigh max","released":"2026-06-30","knowledge":"2026-01-31"}
{"id":"glm-5.2","name":"GLM-5.2","context":1000000,"output":131072,"price":[1.4,4.4,0.26,0],"thinking":"effort high max","released":"2026-06-13"}
{"id":"kimi-k2.7-code","name":"Kimi K2.7 Code","context":262144,"output":262144,"input":"text image","price":[0.95,4,0.19,0],"thinking":"toggle high","released":"2026-06-12","knowledge":"2025-01"}
{"id":"north-mini-code-free","name":"North Mini Code Free","context":256000,"output":64000,"price":[0,0,0,0],"thinking":"effort off high","released":"2026-06-09","knowledge":"2025-09-23"}
{"id":"nemotron-3-ultra-free","name":"Nemotron 3 Ultra Free","context":1000000,"output":128000,"price":[0,0,0,0],"thinking":"toggle high","released":"2026-06-04","knowledge":"2026-02"}
{"id":"minimax-m3","name":"MiniMax-M3","context":512000,"output":128000,"input":"text image","price":[0.3,1.2,0.06,0],"thinking":"toggle high","released":"2026-06-01"}
{"id":"claude-opus-4-8","name":"Claude Opus 4.8","context":1000000,"output":128000,"input":"text image document","price":[5,25,0.5,6.25],"thinking":"effort off low medium high xhigh max","released":"2026-05-28"}
{"id":"grok-build-0.1","name":"Grok Build 0.1","context":256000,"output":256000,"input":"text image","price":[1,2,0.2,0],"thinking":"toggle high","released":"2026-05-20"}
{"id":"gemini-3.5-flash","name":"Gemini 3.5 Flash","context":1048576,"output":65536,"input":"text image audio document","price":[1.5,9,0.15,0],"thinking":"effort minimal low medium high","released":"2026-05-19","knowledge":"2025-01"}
{"id":"mimo-v2.5-free","name":"MiMo V2.5 Free","context":200000,"output":32000,"input":"text image audio","price":[0,0,0,0],"thinking":"toggle high","released":"2026-04-24","knowledge":"2024-12"}
{"id":"gpt-5.5-pro","name":"GPT-5.5 Pro","context":1050000,"output":128000,"input":"text image document","price":[30,180,30,0],"thinking":"effort medium high xhigh","released":"2026-04-24","knowledge":"2025-12-01"}
{"id":"deepseek-v4-pro","name":"DeepSeek V4 Pro","context":1000000,"output":384000,"price":[1.74,3.84,0.145,0],"thinking":"effort off high max","released":"2026-04-24","knowledge":"2025-05"}
{"id":"deepseek-v4-flash-free","name":"DeepSeek V4 Flash Free","context":200000,"output":128000,"price":[0,0,0,0],"thinking":"effort off high max","released":"2026-04-24","knowledge":"2025-05"}
{"id":"deepseek-v4-flash","name":"DeepSeek V4 Flash","context":1000000,"output":384000,"price":[0.14,0.28,0.028,0],"thinking":"effort off high max","released":"2026-04-24","knowledge":"2025-05"}
{"id":"gpt-5.5","name":"GPT-5.5","context":1050000,"output":128000,"input":"text image document","price":[5,30,0.5,0],"thinking":"effort off low medium high xhigh","released":"2026-04-23","knowledge":"2025-12-01"}
{"id":"kimi-k2.6","name":"Kimi K2.6","context":262144,"output":65536,"input":"text image","price":[0.95,4,0.16,0],"thinking":"toggle off high","released":"2026-04-21","knowledge":"2024-10"}
{"id":"claude-opus-4-7","name":"Claude Opus 4.7","context":1000000,"output":128000,"input":"text image document","price":[5,25,0.5,6.25],"thinking":"effort off low medium high xhigh max","released":"2026-04-16","knowledge":"2026-01-31"}
{"id":"glm-5.1","name":"GLM-5.1","context":204800,"output":131072,"price":[1.4,4.4,0.26,0],"thinking":"toggle off high","released":"2026-04-07","knowledge":"2025-04"}
{"id":"qwen3.6-plus","name":"Qwen3.6 Plus","context":262144,"output":65536,"input":"text image","price":[0.5,3,0.05,0.625],"thinking":"toggle off high","released":"2026-04-02","knowledge":"2025-04"}
{"id":"minimax-m2.7","name":"MiniMax-M2.7","context":204800,"output":131072,"price":[0.3,1.2,0.06,0],"thinking":"toggle high","released":"2026-03-18","knowledge":"2025-01"}
{"id":"gpt-5.4-nano","name":"GPT-5.4 Nano","context":400000,"output":128000,"input":"text image document","price":[0.2,1.25,0.02,0],"thinking":"effort off low medium high xhigh","released":"2026-03-17","knowledge":"2025-08-31"}
{"id":"gpt-5.4-mini","name":"GPT-5.4 Mini","context":400000,"output":128000,"input":"text image document","price":[0.75,4.5,0.075,0],"thinking":"effort off low medium high xhigh","released":"2026-03-17","knowledge":"2025-08-31"}
{"id":"gpt-5.4-pro","name":"GPT-5.4 Pro","context":1050000,"output":128000,"input":"text image document","price":[30,180,30,0],"thinking":"effort medium high xhigh","released":"2026-03-05","knowledge":"2025-08-31"}
{"id":"gpt-5.4","name":"GPT-5.4","context":1050000,"output":128000,"input":"text image document","price":[2.5,15,0.25,0],"thinking":"effort off low medium high xhigh","released":"2026-03-05","knowledge":"2025-08-31"}
{"id":"gpt-5.3-codex","name":"GPT-5.3 Codex","context":400000,"output":128000,"input":"text image document","price":[1.75,14,0.175,0],"thinking":"effort off low medium high xhigh","released":"2026-02-24","knowledge":"2025-08-31"}
{"id":"gemini-3.1-pro","name":"Gemini 3.1 Pro Preview","context":1048576,"output":65536,"input":"text image audio document","price":[2,12,0.2,0],"thinking":"effort low medium high","released":"2026-02-19","knowledge":"2025-01"}
{"id":"claude-sonnet-4-6","name":"Claude Sonnet 4.6","context":1000000,"output":64000,"input":"text image document","price":[3,15,0.3,3.75],"thinking":"effort off low medium high max","released":"2026-02-17","knowledge":"2025-08-31"}
{"id":"qwen3.5-plus","name":"Qwen3.5 Plus","context":262144,"output":65536,"input":"text image","price":[0.2,1.2,0.02,0.25],"thinking":"toggle off high","released":"2026-02-16","knowledge":"2025-04"}
{"id":"minimax-m2.5","name":"MiniMax-M2.5","context":204800,"output":131072,"price":[0.3,1.2,0.06,0],"thinking":"toggle high","released":"2026-02-12","knowledge":"2025-01"}
{"id":"gpt-5.3-codex-spark","name":"GPT-5.3 Codex Spark","context":128000,"output":128000,"price":[1.75,14,0.175,0],"thinking":"effort low medium high xhigh","released":"2026-02-12","knowledge":"2025-08-31"}
{"id":"glm-5","name":"GLM-5","context":204800,"output":131072,"price":[1,3.2,0.2,0],"thinking":"toggle off high","released":"2026-02-11","knowledge":"2025-04"}
{"id":"claude-opus-4-6","name":"Claude Opus 4.6","context":1000000,"output":128000,"input":"text image document","price":[5,25,0.5,6.25],"thinking":"effort off low medium high max","released":"2026-02-05","knowledge":"2025-05-31"}
{"id":"kimi-k2.5","name":"Kimi K2.5","context":262144,"output":65536,"input":"text image","price":[0.6,3,0.08,0],"thinking":"toggle off high","released":"2026-01-27","knowledge":"2024-10"}
{"id":"gpt-5.2-codex","name":"GPT-5.2 Codex","context":400000,"output":128000,"input":"text image document","price":[1.75,14,0.175,0],"thinking":"effort low medium high xhigh","released":"2026-01-14","knowledge":"2025-08-31"}
{"id":"gemini-3-flash","name":"Gemini 3 Flash","context":1048576,"output":65536,"input":"text image audio document","price":[0.5,3,0.05,0],"thinking":"effort minimal low medium high","released":"2025-12-17","knowledge":"2025-01"}
{"id":"gpt-5.2","name":"GPT-5.2","context":400000,"output":128000,"input":"text image","price":[1.75,14,0.175,0],"thinking":"effort off low medium high xhigh","released":"2025-12-11","knowledge":"2025-08-31"}
`,
  "opencode-go": () => `
{"id":"glm-5.2","name":"GLM-5.2","context":1000000,"output":131072,"price":[1.4,4.4,0.26,0],"thinking":"effort high max","released":"2026-06-13"}
{"id":"kimi-k2.7-code","name":"Kimi K2.7 Code","context":262144,"output":262144,"input":"text image","price":[0.95,4,0.19,0],"thinking":"toggle high","released":"2026-06-12","knowledge":"2025-01"}
{"id":"qwen3.7-plus","name":"Qwen3.7 Plus","context":1000000,"output":65536,"input":"text image","price":[0.4,1.6,0.04,0.5],"thinking":"toggle off high","released":"2026-06-02"}
{"id":"minimax-m3","name":"MiniMax-M3 (3x usage)","context":1000000,"output":131072,"input":"text image","price":[0.3,1.2,0.06,0],"thinking":"toggle off high","released":"2026-05-31","knowledge":"2025-01"}
{"id":"qwen3.7-max","name":"Qwen3.7 Max","context":1000000,"output":65536,"price":[2.5,7.5,0.5,3.125],"thinking":"toggle off high","released":"2026-05-21"}
{"id":"deepseek-v4-pro","name":"DeepSeek V4 Pro","context":1000000,"output":384000,"price":[1.74,3.48,0.0145,0],"thinking":"effort high max","released":"2026-04-24","knowledge":"2025-05"}
{"id":"deepseek-v4-flash","name":"DeepSeek V4 Flash","context":1000000,"output":384000,"price":[0.14,0.28,0.0028,0],"thinking":"effort high max","released":"2026-04-24","knowledge":"2025-05"}
{"id":"mimo-v2.5-pro","name":"MiMo V2.5 Pro","context":1048576,"output":128000,"price":[1.74,3.48,0.0145,0],"thinking":"toggle high","released":"2026-04-22","knowledge":"2024-12"}
{"id":"mimo-v2.5","name":"MiMo V2.5","context":1000000,"output":128000,"input":"text image audio","price":[0.14,0.28,0.0028,0],"thinking":"toggle high","released":"2026-04-22","knowledge":"2024-12"}
{"id":"kimi-k2.6","name":"Kimi K2.6","context":262144,"output":65536,"input":"text image","price":[0.95,4,0.16,0],"thinking":"toggle high","released":"2026-04-21","knowledge":"2024-10"}
{"id":"glm-5.1","name":"GLM-5.1","context":202752,"output":32768,"price":[1.4,4.4,0.26,0],"thinking":"toggle high","released":"2026-04-07","knowledge":"2025-04"}
{"id":"qwen3.6-plus","name":"Qwen3.6 Plus","context":1000000,"output":65536,"input":"text image","price":[0.5,3,0.05,0.625],"thinking":"toggle off high","released":"2026-04-02","knowledge":"2025-04"}
{"id":"minimax-m2.7","name":"MiniMax-M2.7","context":204800,"output":131072,"price":[0.3,1.2,0.06,0],"thinking":"toggle high","released":"2026-03-18","knowledge":"2025-01"}
`,
};
