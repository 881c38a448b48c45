import type { GroupJob } from '../models/group/worker-group.js';
import type { ObjectiveJob } from '../trainers/shards/objective-group.js';

/** What a training thread is to do: steps of an online optimizer, or shards of a batch one's objective. */
export type TrainingJob = GroupJob | ObjectiveJob;
