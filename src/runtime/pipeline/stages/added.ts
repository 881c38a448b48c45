import type { MonoTypeOperatorFunction, Observable } from 'rxjs';
import type { Stateful } from '../../../engine/core/training/state.js';
import type {
  StageItem,
  StageItems,
  StageOperator,
} from '../../../engine/interfaces/definitions.js';
import type { PluginStage } from '../../../engine/interfaces/loaded-plugin.js';
import type { Model } from '../../../engine/models/model.js';
import type { RunContext } from '../definition/run-context.js';
import type { StageComponent } from '../definition/stage-component.js';
import type { AddedPart, AnyPlan } from '../plan/plan.js';
import { restorePart } from '../setup/restore-run.js';
import type { Saves } from './checkpoint.js';

/** Returns a plug-in's stage as a stage of Tagstream. */
export function stageOfPlugin(plugin: PluginStage): StageComponent {
  const { name, summary, example, on, options } = plugin;
  return { ...{ name, summary, example, options, plugin }, takes: [on], gives: on };
}

/** The plug-in stages of a run. */
export class AddedStages {
  readonly #stages: readonly {
    readonly part: AddedPart;
    readonly made: StageOperator<StageItem>;
  }[];

  /**
   * @param model the learning model, if any
   * @throws TagstreamError `config` if a stage cannot be made from its options, `checkpoint` if it cannot be restored
   */
  constructor({ added }: Pick<AnyPlan, 'added'>, restored?: RunContext['restored'], model?: Model) {
    this.#stages = added.map(part => {
      const made = part.component.create(part.options, { model });
      const { restore } = made;
      if (restored !== undefined && restore !== undefined) {
        restorePart(restored, savedAs(part), state => restore(state));
      }
      return { part, made };
    });
  }

  get any(): boolean {
    return this.#stages.length > 0;
  }

  /**
   * Returns the stages that process a kind of items, in order.
   *
   * @param selects returns whether to include a stage
   */
  over<On extends keyof StageItems>(
    on: On,
    selects: (part: AddedPart) => boolean = () => true,
  ): MonoTypeOperatorFunction<StageItems[On]> {
    const chosen = this.#stages.filter(({ part }) => part.component.on === on && selects(part));
    return source => {
      let items: Observable<StageItem> = source;
      for (const { made } of chosen) items = made.operator(items);
      return items as Observable<StageItems[On]>;
    };
  }

  /** The stages' parts of checkpoints. */
  get saves(): Saves {
    const stateful = this.#stages.filter(({ made }) => made.save !== undefined);
    return Object.fromEntries(
      stateful.map(({ part, made }) => [savedAs(part), made as Pick<Stateful, 'save'>]),
    );
  }

  /** Whether any stage before the steps has a state, which may be ahead of the last step. */
  get countsAhead(): boolean {
    return this.#stages.some(({ part: { component } }) => isAhead(component));
  }
}

/** Returns whether a stage has seen more records at a step than were learned from. */
export function isAhead({ stateful, on }: PluginStage): boolean {
  return stateful && (on === 'document' || on === 'sentence');
}

/** Returns the name of a stage's part of a checkpoint. */
function savedAs({ component }: AddedPart): string {
  return `stages.${component.name}`;
}
