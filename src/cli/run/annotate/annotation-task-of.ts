import {
  type AnnotationTask,
  spansTask,
  tagsTask,
  taskOfTags,
} from '../../../annotation/task/annotation-task.js';
import { TagstreamError } from '../../../core/errors.js';
import { readModel } from '../../../models/files/model-file.js';

/**
 * The task that the command line names, or that the model to start from has.
 *
 * @throws TagstreamError `usage`
 */
export function annotationTaskOf(
  { labels, tags }: { readonly labels?: string | undefined; readonly tags?: string | undefined },
  model: { readonly bytes: Uint8Array; readonly file: string } | undefined,
): AnnotationTask {
  if (labels !== undefined && tags !== undefined) {
    throw new TagstreamError('usage', 'both --labels and --tags', {
      fix: '--labels for spans, --tags for one label a token',
    });
  }
  if (labels !== undefined) return spansTask(names(labels));
  if (tags !== undefined) return tagsTask(names(tags));
  if (model !== undefined) return taskOfTags(readModel(model.bytes, model.file).labels.tags);
  throw new TagstreamError('usage', 'there are no labels', {
    fix: 'give --labels PER,LOC for spans, --tags NOUN,VERB for one label a token, or --model',
  });
}

function names(list: string): string[] {
  return list.split(',').map(name => name.trim());
}
