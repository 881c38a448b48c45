import type { Subscription } from 'rxjs';
import type { CodecChoice } from '../catalogue/codec-of.js';
import type { RunEvents } from '../definition/events.js';
import type { Pipeline } from '../definition/pipeline.js';
import type { RunContext } from '../definition/run-context.js';
import type { TagPlan } from '../plan/plan.js';
import type { RunWithDeadLetters } from '../setup/run-options.js';
import { warnOnce } from '../setup/run-sink.js';
import { selects, withoutCommon } from '../sources/common-options.js';
import { buildTagging } from '../stages/build-tagging.js';
import { MixedTagger } from './mixed-tagger.js';
import { Reloadable } from './reload/reloadable.js';
import { requireTagger } from './reload/require-tagger.js';
import type { TagBlocksOptions } from './tag-blocks.js';
import type { TaggingOptions } from './tagging-options.js';

/** Whether a pipeline tags all its records and does nothing else: nobody selects or counts them one by one. */
export function onlyTags(
  { source, plan, sink }: Pipeline,
  { limit, resume }: Pick<RunWithDeadLetters, 'limit' | 'resume'>,
): boolean {
  const { component, options } = source;
  if (component.generated !== undefined || component.replays === true) return false;
  if (selects(options)) return false;
  if (limit !== undefined || resume === true || (sink?.only ?? 'all') !== 'all') return false;
  return plan.kind === 'tag' && plan.checkpoint === undefined;
}

/** The format of the records of a pipeline. */
export function pipelineFormat({ source: { component, options } }: Pipeline): CodecChoice {
  return { name: component.name, options: withoutCommon(options) };
}

/** What stands for all stages of a pipeline that `onlyTags`; it is made anew when its model is replaced. */
export class PipelineTagger {
  readonly #taggers: Reloadable<MixedTagger>;
  readonly #options: RunWithDeadLetters;
  readonly #events: RunEvents;
  /** Who tagged last: it takes back what nobody looks at any more. */
  #last: MixedTagger;
  #reloading: Subscription | undefined;

  /** @throws TagstreamError for a model that cannot tag */
  constructor(
    pipeline: Pipeline,
    format: CodecChoice,
    context: RunContext,
    options: RunWithDeadLetters,
  ) {
    const { onReloaded, onReloadRefused } = context.events;
    const make = () => taggerOf(pipeline, format, context, options);
    this.#taggers = new Reloadable(make(), make, { onReloaded, onKept: onReloadRefused });
    this.#options = options;
    this.#events = context.events;
    this.#last = this.#taggers.current;
  }

  /** Whether its model has plain records in the format. */
  get takesPlain(): boolean {
    return this.#taggers.current.takesPlain;
  }

  /** What those who tag in blocks call; from now on a replaced model is taken. */
  begin(): Pick<TagBlocksOptions, 'tag' | 'onWritten' | 'onBlank' | 'onBelow'> {
    const { reloads, onBlank } = this.#options;
    this.#reloading = reloads?.subscribe(() => this.#taggers.reload());
    return {
      tag: task => {
        this.#last = this.#taggers.current;
        return this.#last.tag(task);
      },
      onWritten: tagged => this.#last.reuse(tagged),
      onBelow: warnOnce({ events: this.#events }),
      onBlank: lines => {
        for (let line = 0; line < lines; line += 1) onBlank?.();
      },
    };
  }

  end(): void {
    this.#reloading?.unsubscribe();
  }
}

/** What stands for all stages, with the model as its file is now. */
function taggerOf(
  pipeline: Pipeline,
  format: CodecChoice,
  context: RunContext,
  options: RunWithDeadLetters,
): MixedTagger {
  const plan = pipeline.plan as TagPlan;
  const { model, modelId, tokenizer, decoding } = buildTagging(plan, context);
  requireTagger(model, plan.model);
  const { modelVersion, scores } = plan.decode.options;
  const tagging: TaggingOptions = {
    ...{ ...decoding, scores },
    output: pipeline.sink?.output ?? 'record',
    modelId: modelVersion ? modelId : undefined,
    passing: options.deadLetters.passing,
    redact: pipeline.sink?.redact,
  };
  const { sources } = pipeline.catalogue;
  return new MixedTagger(model, format, tagging, { tokenization: tokenizer, sources });
}
