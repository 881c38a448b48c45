import { readTaggingModel } from '../../../../engine/models/files/model-file.js';
import { Tagger } from '../../../../engine/models/tagger.js';
import { serveTasks } from '../../../workers/serve-tasks.js';
import type { TaggerResult, TaggerSetup, TaggerTask } from './tagger-pool.js';

// The module of a thread of a `TaggerPool`.
serveTasks<TaggerSetup, TaggerTask, TaggerResult>(({ bytes, source, rules }) => {
  const tagger = new Tagger(readTaggingModel(new Uint8Array(bytes), source), { rules });
  return task => ({ result: done(tagger, task) });
});

function done(tagger: Tagger, task: TaggerTask): TaggerResult {
  switch (task.what) {
    case 'tags':
      return tagger.tagMany(task.sentences);
    case 'text':
      return tagger.tagText(task.text, task.options);
    case 'analysis':
      return tagger.analyze(task.given.tokens, task.given.columns, task.options);
    case 'explanation':
      return tagger.explain(task.given.tokens, task.given.columns);
  }
}
