// The workspace of a session: the folder, plus the models and the files found there.

import type { DiscoveredWorkspace } from "../found/discovery/discovery.ts";
import type { ModelWorkspace } from "../models/connect.ts";

export interface SessionWorkspace extends ModelWorkspace, DiscoveredWorkspace {}
