// The workspace of a session: besides the place itself, the models and the files that are found there.

import type { DiscoveredWorkspace } from "../found/discovery/discovery.ts";
import type { ModelWorkspace } from "../models/connect.ts";

export interface SessionWorkspace extends ModelWorkspace, DiscoveredWorkspace {}
