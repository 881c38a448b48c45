import type { MonoTypeOperatorFunction, Observable } from 'rxjs';
import type { Stateful } from '../../core/training/state.js';
import type { Model } from '../../models/model.js';
import type { StageItem, StageItems, StageOperator } from '../../plugins/definitions.js';
import type { PluginStage } from '../../plugins/loaded-plugin.js';
import type { RunContext } from '../definition/run-context.js';
import type { StageComponent } from '../definition/stage-component.js';
import type { AddedPart, AnyPlan } from '../plan/plan.js';
import { restorePart } from '../setup/restore-run.js';
import type { Saves } from './checkpoint.js';

/** A stage of a plug-in as one of Tagstream. */
export function stageOfPlugin(plugin: PluginStage): StageComponent {
  const { name, summary, example, on, options } = plugin;
  return { ...{ name, summary, example, options, plugin }, takes: [on], gives: on };
}

/** The stages of plug-ins that a run has. */
export class AddedStages {
  readonly #stages: readonly {
    readonly part: AddedPart;
    readonly made: StageOperator<StageItem>;
  }[];

  /**
   * @param model that learns, if one does
   * @throws TagstreamError `config` where a stage cannot be made of its options, `checkpoint` where it cannot be restored
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
   * Those over one kind of items, in their order.
   *
   * @param selects which of them
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

  /** What checkpoints hold of them. */
  get saves(): Saves {
    const stateful = this.#stages.filter(({ made }) => made.save !== undefined);
    return Object.fromEntries(
      stateful.map(({ part, made }) => [savedAs(part), made as Pick<Stateful, 'save'>]),
    );
  }

  /** Whether stages before the steps have a state, which is ahead of the last step. */
  get countsAhead(): boolean {
    return this.#stages.some(({ part: { component } }) => isAhead(component));
  }
}

/** Whether a stage has met more records, at a step, than were learned from. */
export function isAhead({ stateful, on }: PluginStage): boolean {
  return stateful && (on === 'document' || on === 'sentence');
}

/** The name of its part of a checkpoint. */
function savedAs({ component }: AddedPart): string {
  return `stages.${component.name}`;
}
