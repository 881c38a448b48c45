// The worker thread that the entry `tagstream/element` starts.

import { answerQuestions } from '../reports/tagger-page/text-worker.js';

answerQuestions();
