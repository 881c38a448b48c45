import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { TagstreamError } from '../../../engine/core/errors.js';
import { kinds, requireArgument } from '../../../engine/core/schema/require-argument.js';
import { replayCodec } from '../../io/dead-letters/replay-codec.js';
import { withRotations } from '../../io/dead-letters/rotations.js';
import { changePipeline, type Pipeline } from './pipeline.js';

/**
 * Replaces the source of a pipeline with a dead-letter file and its rotated files, the oldest rejected record first.
 * `split` and `limit` of the source do not apply again.
 *
 * @param file path, relative to the working directory
 * @throws TagstreamError `config` if the results of the rejected records alone would overwrite those of the whole
 * source, in the checkpoints or in the sink's file
 * @example
 * const file = 'version: 1\nname: a\nsource: { conll: { limit: 9 } }\nstages: [{ featurize: { model: m } }, batch, tag]';
 * const { component, options } = replayed(parsePipeline(file, '/tmp/a.yaml'), '/tmp/bad.ndjson').source;
 * [component.name, options.files, options.limit] // => ['conll', ['/tmp/bad.ndjson'], undefined]
 */
export function replayed(pipeline: Pipeline, file: string): Pipeline {
  requireArgument('replayed: the pipeline', pipeline, kinds.pipeline);
  requireArgument('replayed: the file', file, kinds.text);
  refuseReplacing(pipeline);
  const { component, options } = pipeline.source;
  return changePipeline(pipeline, {
    source: {
      component: {
        ...component,
        codec: chosen => replayCodec(component.codec(chosen)),
        replays: true,
      },
      options: {
        ...options,
        files: withRotations(resolve(file)),
        from: undefined,
        split: undefined,
        limit: undefined,
      },
    },
  });
}

function refuseReplacing({ plan, sink, baseDirectory, file: source }: Pipeline): void {
  if (plan.checkpoint !== undefined) {
    throw new TagstreamError('config', 'a replay would write its own checkpoints', {
      place: { source },
      fix: 'replay with a copy of the pipeline without the stage checkpoint; use train: { start: MODEL } to continue from a model',
    });
  }
  const target = sink?.file ?? '-';
  if (target === '-' || !existsSync(resolve(baseDirectory, target))) return;
  throw new TagstreamError('config', 'a replay would overwrite the file of its sink', {
    place: { source },
    fix: 'give another file with --set sink.file=FILE, or - for standard output',
  });
}
