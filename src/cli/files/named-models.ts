import { TagstreamError } from '../../engine/core/errors.js';
import type { NamedModel } from '../../runtime/io/read-model-bytes.js';
import type { NatsArguments } from '../options/nats-options.js';
import { texts } from '../options/option-kinds.js';
import { withModelFiles } from './model-files.js';

/** Option that names the columns of several models. */
export const columnOption = texts(
  'the tag column of a model, in the order of the models; default: that of its training data, such as upos, else the name of its file',
);

/** Arguments of commands with several models. */
interface ModelArguments extends NatsArguments {
  readonly column?: readonly string[] | undefined;
  readonly tokenizer?: string | undefined;
}

/**
 * Returns the first of several models, and those that tag after it; registry models are replaced
 * with their files, fixed to a version.
 *
 * @throws (rejects with) TagstreamError `usage` for more columns than models, and the errors of `withModelFiles`
 */
export async function namedModels<Name extends string | undefined>(
  [model, ...others]: readonly Name[],
  given: ModelArguments,
) {
  const { column: columns = [], ...registry } = given;
  if (columns.length > others.length + 1) {
    throw new TagstreamError('usage', `--column ${columns.at(-1)} belongs to no model`, {
      fix: 'name at most one column for each model, in their order',
    });
  }
  const { tokenizer } = await withModelFiles(registry, ['tokenizer']);
  const further: NamedModel[] = [];
  for (const [i, other] of others.entries()) {
    const { model: file } = await withModelFiles({ ...registry, model: other }, ['model']);
    further.push({ file: file!, column: columns[i + 1] });
  }
  return { model: model!, column: columns[0], further, tokenizer };
}
