import { readTaggingModel } from '../../../models/files/model-file.js';
import { Tagger } from '../../../models/tagger.js';
import { serveTasks } from '../../../workers/serve-tasks.js';
import type { TaggerResult, TaggerSetup, TaggerTask } from './tagger-task.js';

// The module of a thread of a `TaggerPool`.
serveTasks<TaggerSetup, TaggerTask, TaggerResult>(({ bytes, source }) => {
  const tagger = new Tagger(readTaggingModel(new Uint8Array(bytes), source));
  return task =>
    'texts' in task
      ? { result: { texts: task.texts.map(text => tagger.tagText(text)) } }
      : { result: { tags: tagger.tagMany(task.sentences) } };
});
