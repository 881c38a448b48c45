import { merge, NEVER, Observable } from 'rxjs';
import { isModelAddress } from '../../../../engine/interfaces/model-address.js';
import { changePipeline, type Pipeline } from '../../definition/pipeline.js';
import { modelFilesOf } from '../../options/feature-options.js';
import type { RunOptions } from '../../setup/run-options.js';
import type { Following, RegisteredModel } from './registered-model.js';

/**
 * Runs a pipeline whose model may come from a registry. The run gets the model's file, which is replaced and reloaded
 * when a new version is promoted to the alias.
 *
 * @param accept tests a promoted version before it is used
 * @throws (rejects with) errors of `openRegisteredModel` and of the run
 */
export async function withRegisteredModel<Options extends RunOptions, Result>(
  pipeline: Pipeline,
  options: Options,
  run: (pipeline: Pipeline, options: Options) => Promise<Result>,
  accept?: Following['accept'],
): Promise<Result> {
  const { stages, plan } = pipeline;
  if (plan.kind !== 'tag' || !isModelAddress(plan.model)) return run(pipeline, options);
  const { events, reloads = NEVER, registry = {} } = options;
  // Loaded on demand: most pipelines have no such model.
  const { openRegisteredModel } = await import('./registered-model.js');
  const model = await openRegisteredModel(plan.model, registry);
  events?.onModelVersion?.(model.address, model.version);
  const [first, ...further] = modelFilesOf(plan.features.options);
  const withFile = stages.map((stage, i) =>
    i === plan.features.path[1]
      ? {
          ...stage,
          options: { ...stage.options, model: [{ ...first, file: model.file }, ...further] },
        }
      : stage,
  );
  const promotions = promotionsOf(model, events, accept);
  try {
    return await run(changePipeline(pipeline, { stages: withFile }), {
      ...options,
      reloads: merge(reloads, promotions),
    });
  } finally {
    await model.close();
  }
}

function promotionsOf(
  model: RegisteredModel,
  events: RunOptions['events'],
  accept: Following['accept'],
): Observable<void> {
  return new Observable(requests =>
    model.follow({
      accept,
      onChange: version => {
        events?.onModelVersion?.(model.address, version);
        requests.next();
      },
      onRefused: (error, version) => events?.onVersionRefused?.(model.address, version, error),
    }),
  );
}
