import type { Reporting } from '../report/reporting.js';
import type { ReloadRequests } from '../signals/reload-requests.js';
import type { FirstModel } from './first-model.js';
import type { TagArguments } from './tag-arguments.js';
import type { TagInput } from './tag-input.js';

/** What `tag` has found out when it begins to read. */
export interface TagWork {
  readonly first: FirstModel;
  readonly input: TagInput;
  readonly given: TagArguments;
  readonly stopping: AbortSignal;
  readonly reloads: ReloadRequests;
  readonly report: Reporting;
}
