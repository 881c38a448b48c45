import { TagstreamError } from '../core/errors.js';
import type { Optimizer, OptimizerComponent } from '../optimizers/optimizer.js';
import type { OptimizerDefinition } from './definitions.js';
import { optionsSchema } from './options-schema.js';
import { guarded } from './plugin-fault.js';

const methods = ['prepare', 'apply', 'deploy', 'save', 'restore'] as const;

/** The optimizer of a plug-in as those of Tagstream are. */
export function pluginOptimizer(
  definition: OptimizerDefinition,
  what: string,
): OptimizerComponent<never> {
  const { name, summary, losses, hogwild = false } = definition;
  const component: OptimizerComponent<unknown> = {
    ...{ name, summary, hogwild },
    ...(losses === undefined ? {} : { losses }),
    example: definition.example ?? `optimize: { ${name}: {} }`,
    options: optionsSchema(definition.options, what),
    create(options, context) {
      const made = guarded(what, 'config', () => definition.create(options as never, context));
      const missing = methods.filter(method => typeof made?.[method] !== 'function');
      if (missing.length > 0 || typeof made.stepSize !== 'number') {
        throw incomplete(what, [
          ...missing,
          ...(typeof made?.stepSize === 'number' ? [] : ['stepSize']),
        ]);
      }
      return new PluginOptimizer(name, what, made);
    },
  };
  return component as unknown as OptimizerComponent<never>;
}

/** Hands everything on to the optimizer of a plug-in; whatever goes wrong there is said to be its fault. */
class PluginOptimizer implements Optimizer {
  readonly name: string;
  readonly lazy: boolean;
  readonly settle?: NonNullable<Optimizer['settle']>;
  readonly forget?: NonNullable<Optimizer['forget']>;
  readonly #what: string;
  readonly #made: Omit<Optimizer, 'name'>;

  constructor(name: string, what: string, made: Omit<Optimizer, 'name'>) {
    this.name = name;
    this.lazy = made.lazy ?? false;
    this.#what = what;
    this.#made = made;
    const { settle, forget } = made;
    if (settle !== undefined) this.settle = () => this.#guarded(() => made.settle!());
    if (forget !== undefined) {
      this.forget = (stateRows, edgeRows) => this.#guarded(() => made.forget!(stateRows, edgeRows));
    }
  }

  get stepSize(): number {
    return this.#made.stepSize;
  }

  prepare: Optimizer['prepare'] = minibatch => this.#guarded(() => this.#made.prepare(minibatch));

  apply: Optimizer['apply'] = contribution => this.#guarded(() => this.#made.apply(contribution));

  deploy: Optimizer['deploy'] = target => this.#guarded(() => this.#made.deploy(target));

  save: Optimizer['save'] = () => this.#guarded(() => this.#made.save());

  restore: Optimizer['restore'] = state => this.#guarded(() => this.#made.restore(state));

  #guarded<Result>(work: () => Result): Result {
    return guarded(this.#what, 'stage', work);
  }
}

function incomplete(what: string, missing: readonly string[]): TagstreamError {
  return new TagstreamError(
    'config',
    `create of ${what} has returned no object with ${missing.join(', ')}`,
    {
      fix: `let it return an object with ${methods.join(', ')} and stepSize`,
    },
  );
}
