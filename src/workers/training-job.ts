import type { CrewJob } from '../models/group/crew.js';
import type { ObjectiveJob } from '../trainers/shards/objective-crew.js';

/** What a training thread is to do: steps of an online optimizer, or shards of a batch one's objective. */
export type TrainingJob = CrewJob | ObjectiveJob;
