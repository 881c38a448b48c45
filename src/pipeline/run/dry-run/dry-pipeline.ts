import { changePipeline, type Pipeline, stagesWithout } from '../../definition/pipeline.js';

/**
 * A pipeline as a dry run goes through it: one pass in one thread, no checkpoints, and no more held-out
 * records than `limit`.
 */
export function dryPipeline(pipeline: Pipeline, limit: number): Pipeline {
  const { train, test } = pipeline;
  const stages = stagesWithout(pipeline, ['checkpoint']).map(stage => ({
    ...stage,
    options: heldOutLimited(stage.options, limit),
  }));
  return changePipeline(pipeline, {
    stages,
    firstWorkers: 1,
    train: train && {
      ...train,
      workers: 1,
      seeds: 1,
      mode: 'deterministic',
      ...(train.epochs === undefined ? {} : { epochs: 1 }),
    },
    test: test && { ...test, options: limited(test.options, limit) },
  });
}

type Options = Readonly<Record<string, unknown>>;

/** Of the stage evaluate, which is to take part after the one pass that there is. */
function heldOutLimited(options: Options, limit: number): Options {
  if (options.on === undefined) return options;
  const [[format, source]] = Object.entries(options.on as Record<string, Options>) as [
    [string, Options],
  ];
  return { ...options, every: 'epoch', on: { [format]: limited(source, limit) } };
}

function limited(options: Options, limit: number): Options {
  const own = options.limit as number | undefined;
  return { ...options, limit: Math.min(own ?? limit, limit) };
}
