import { type MonoTypeOperatorFunction, Observable, Subject } from 'rxjs';
import { TagstreamError } from '../../engine/core/errors.js';
import { kinds, requireArgument } from '../../engine/core/schema/require-argument.js';
import type { Document } from '../../engine/core/sentence/document.js';
import type { State } from '../../engine/core/training/state.js';
import type {
  StageDefinition,
  StageItem,
  StageItems,
  StageOperator,
} from '../../engine/interfaces/definitions.js';
import type { PluginStage } from '../../engine/interfaces/loaded-plugin.js';
import { guarded, pluginFault } from '../../engine/interfaces/plugin-fault.js';
import { optionsSchema } from './options-schema.js';

/** Item checks by the position of a stage. */
const itemKinds = {
  document: kinds.options,
  sentence: kinds.sentence,
  'training step': kinds.step,
  'tagged sentence': kinds.taggedSentence,
} as const satisfies Readonly<Record<keyof StageItems, unknown>>;

/**
 * Wraps the stage of a plug-in, so that errors name it.
 *
 * @throws TagstreamError `config` if it does not state which items it takes
 */
export function pluginStage(definition: StageDefinition, what: string): PluginStage {
  const { name, summary, on, stateful = false } = definition;
  if (!Object.hasOwn(itemKinds, on)) {
    throw new TagstreamError('config', `${what} does not declare which items it processes`, {
      fix: `give on: one of ${Object.keys(itemKinds).join(', ')}`,
    });
  }
  return {
    ...{ name, summary, on, stateful },
    example: definition.example ?? `${name}: {}`,
    options: optionsSchema(definition.options, what),
    create(options, context) {
      const made = guarded(what, 'config', () => definition.create(options as never, context));
      const { operator } = (made ?? {}) as Partial<StageOperator<StageItem>>;
      if (typeof operator !== 'function') {
        throw new TagstreamError('config', `create of ${what} did not return an operator`, {
          fix: 'return { operator: source => source.pipe(...) }',
        });
      }
      const saves = typeof made.save === 'function' && typeof made.restore === 'function';
      if (saves !== stateful) throw unlikeDeclared(what, stateful);
      const drops = on === 'document' && !stateful;
      return {
        operator: inStep(operator, { what, on, drops }),
        ...(saves && {
          save: () => guarded(what, 'stage', () => made.save!()),
          restore: (state: State) => guarded(what, 'checkpoint', () => made.restore!(state)),
        }),
      };
    },
  };
}

function unlikeDeclared(what: string, stateful: boolean): TagstreamError {
  return stateful
    ? new TagstreamError(
        'config',
        `${what} is stateful, but create did not return save and restore`,
        {
          fix: 'return { operator, save, restore }, or leave stateful out',
        },
      )
    : new TagstreamError(
        'config',
        `create of ${what} returned save or restore, but it is not stateful`,
        { fix: 'declare stateful: true and return both, or leave both out' },
      );
}

/**
 * Enforces the contract of checkpoints and deliveries on an operator of a plug-in: each item yields one item before the
 * next is passed in, or none with `drops`; the delivery of a dropped record is settled, that of a changed record is
 * kept.
 */
function inStep(
  operator: MonoTypeOperatorFunction<StageItem>,
  { what, on, drops }: { what: string; on: keyof StageItems; drops: boolean },
): MonoTypeOperatorFunction<StageItem> {
  return source =>
    new Observable(subscriber => {
      const given = new Subject<StageItem>();
      let current: StageItem | undefined;
      let made: readonly StageItem[] = [];
      let isEnding = false;
      const fail = (error: unknown) => subscriber.error(pluginFault(error, what, 'stage'));
      const results = guarded(what, 'stage', () => operator(given)).subscribe({
        next: item => {
          if (current === undefined) fail(outOfStep(`emits ${on}s late, after receiving the next`));
          else if (made.length > 0) fail(outOfStep(`emits several ${on}s for one`));
          else made = [item];
        },
        error: fail,
        complete: () => {
          if (!isEnding) fail(outOfStep('completes before its source'));
        },
      });
      subscriber.add(results);
      subscriber.add(
        source.subscribe({
          next: item => {
            current = item;
            made = [];
            given.next(item);
            current = undefined;
            if (subscriber.closed) return;
            const [result] = made;
            if (made.length > 0) {
              try {
                requireArgument(`what ${what} gives`, result, itemKinds[on]);
              } catch (error) {
                subscriber.error(error);
                return;
              }
              subscriber.next(withDeliveryOf(result!, item));
            } else if (drops) {
              const { delivery } = item as Document;
              delivery?.release();
              delivery?.ack();
            } else fail(outOfStep(`emits nothing for a ${on}`));
          },
          error: error => subscriber.error(error),
          complete: () => {
            isEnding = true;
            given.complete();
            if (results.closed) subscriber.complete();
            else fail(outOfStep(`still holds ${on}s when its source completes`));
          },
        }),
      );
    });
}

/** Returns a changed item with its original delivery. */
function withDeliveryOf(made: StageItem, item: StageItem): StageItem {
  if ('contribution' in made || 'contribution' in item) return made;
  const { delivery } = item;
  return delivery === undefined || made.delivery === delivery ? made : { ...made, delivery };
}

function outOfStep(problem: string): TagstreamError {
  return new TagstreamError('stage', problem, {
    fix: 'use operators that emit one item for each synchronously, such as map and tap; only stateless stages of documents may drop some, as filter does',
  });
}
