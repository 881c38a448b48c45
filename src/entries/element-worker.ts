// The thread of `tagstream/element`, which that entry starts.

import { answerQuestions } from '../reports/tagger-page/text-worker.js';

answerQuestions();
