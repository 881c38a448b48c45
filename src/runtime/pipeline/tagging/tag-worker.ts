import { serveTasks } from '../../workers/serve-tasks.js';
import { tagTasks } from './tag-tasks.js';

// The module of a worker that tags blocks.
serveTasks(tagTasks);
