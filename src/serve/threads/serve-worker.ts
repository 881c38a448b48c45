import { serveTasks as serve } from '../../workers/serve-tasks.js';
import { serveTasks } from './serve-tasks.js';

// The module of a thread of the tagging service.
serve(serveTasks);
