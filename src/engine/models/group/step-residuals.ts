import type { Reals } from '../../core/arrays.js';
import type { Minibatch } from '../../core/minibatch/minibatch.js';
import type { Contribution } from '../../core/training/contribution.js';
import type { StepMemory } from '../../kernels/group/step-memory.js';
import { RealTable } from '../../kernels/memory/real-table.js';
import type { ParameterStore } from '../../kernels/store/parameter-store.js';

/** Residuals of a step, written and read by all workers of a group. */
export class StepResiduals {
  readonly #nodes: RealTable;
  readonly #transitions: RealTable;
  readonly #edges: RealTable;
  readonly #store: ParameterStore;

  constructor(store: ParameterStore) {
    const { memory, width, matrixSize, precision } = store;
    this.#store = store;
    this.#nodes = new RealTable(memory, width, precision);
    this.#transitions = new RealTable(memory, matrixSize, precision);
    this.#edges = new RealTable(memory, matrixSize, precision);
  }

  /** Returns the contribution of the whole step. */
  contribution(step: StepMemory, minibatch: Minibatch, edgeSlots: Int32Array): Contribution {
    const count = minibatch.sentences.length;
    const slots = step.shares[3 * step.places.members + 2]!;
    this.#nodes.place(step.nodes, minibatch.tokens);
    this.#transitions.place(step.transitions, count);
    this.#edges.place(step.edges, slots);
    return new StepContribution(this.#store, minibatch, edgeSlots, {
      nodes: this.#nodes,
      transitions: this.#transitions,
      edges: this.#edges,
    });
  }
}

const none = new Float64Array(0);

class StepContribution implements Contribution {
  readonly minibatch: Minibatch;
  readonly width: number;
  readonly matrixSize: number;
  readonly edgeSlots: Int32Array;
  readonly loss = 0;
  readonly losses = none;
  readonly sentenceCount: number;
  readonly tokenCount: number;
  readonly version: number;
  readonly #tables: Readonly<Record<'nodes' | 'transitions' | 'edges', RealTable>>;

  constructor(
    store: ParameterStore,
    minibatch: Minibatch,
    edgeSlots: Int32Array,
    tables: Readonly<Record<'nodes' | 'transitions' | 'edges', RealTable>>,
  ) {
    this.minibatch = minibatch;
    this.width = store.width;
    this.matrixSize = store.matrixSize;
    this.edgeSlots = edgeSlots;
    this.sentenceCount = minibatch.sentences.length;
    this.tokenCount = minibatch.tokens;
    this.version = store.version;
    this.#tables = tables;
  }

  get residual(): Reals {
    return this.#tables.nodes.view;
  }

  get transitionResidual(): Reals {
    return this.#tables.transitions.view;
  }

  get edgeResidual(): Reals {
    return this.#tables.edges.view;
  }

  assertCurrent(): void {}

  detach(): Contribution {
    return this;
  }
}
