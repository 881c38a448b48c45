import { serveTasks as serve } from '../../../runtime/workers/serve-tasks.js';
import { serveTasks } from './serve-tasks.js';

// Entry module of a tagging service's thread.
serve(serveTasks);
