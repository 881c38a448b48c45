import { loadModule } from '../../../plugins/load-plugins.js';
import type { PluginModule } from '../../../plugins/loaded-plugin.js';
import type { Pipeline } from '../../definition/pipeline.js';
import { catalogueOf } from '../../loading/catalogue.js';
import { chosenOf } from '../../options/one-of.js';
import { modulesForThreads } from '../../plugins/modules-for-threads.js';
import { firstPipeline, type SecondPipeline } from './first-pipeline.js';

/** What a first model is trained by. */
export interface FirstRequest {
  /** Of its pipeline file. */
  readonly text: string;
  readonly file: string;
  readonly second: Pipeline;
  /** Records that the run reads at most. */
  readonly limit?: number | undefined;
}

/** What another thread needs to train it; plain data. */
export interface FirstSetup extends Omit<FirstRequest, 'second'> {
  readonly second: Pick<SecondPipeline, 'file' | 'baseDirectory' | 'deadLetters'> & {
    readonly source: Readonly<Record<string, unknown>>;
    readonly plan: SecondPipeline['plan'];
  };
  readonly modules: readonly PluginModule[];
}

/** @throws TagstreamError `config` for a plug-in that came from code */
export function firstSetup({ second, ...first }: FirstRequest): FirstSetup {
  const { file, baseDirectory, deadLetters, source, plan, catalogue } = second;
  return {
    ...first,
    second: {
      ...{ file, baseDirectory, deadLetters },
      source: { [source.component.name]: source.options },
      plan: { tokenize: plan.tokenize },
    },
    modules: modulesForThreads(catalogue.plugins),
  };
}

/** The pipeline of the first model, in the thread that trains it. */
export function pipelineOfSetup({ text, file, limit, second, modules }: FirstSetup): Pipeline {
  const { sources } = catalogueOf(modules.map(loadModule));
  const asked = { ...second, source: chosenOf(sources.items, second.source) };
  return firstPipeline(text, file, asked, limit);
}
