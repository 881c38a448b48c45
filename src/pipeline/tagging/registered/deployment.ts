import { TagstreamError } from '../../../core/errors.js';
import type { DeploymentCounts, RunStatus } from '../../../core/run-status.js';
import { type State, stateArray } from '../../../core/training/state.js';
import { promote, standingAlias } from '../../../io/nats/registry/aliases.js';
import { addressText, modelAddress } from '../../../io/nats/registry/model-address.js';
import type { ModelRegistry } from '../../../io/nats/registry/open-registry.js';
import { pushModel, whoThisIs } from '../../../io/nats/registry/versions.js';
import type { RunEvents } from '../../definition/events.js';
import type { RegistryChoice } from '../../setup/run-options.js';
import { openChosenRegistry } from './open-chosen-registry.js';

/** The parts of a run to which a deployment reports. */
interface Reporting {
  readonly events: RunEvents;
  readonly status: RunStatus | undefined;
}

/** The state that a resumed run continues. */
interface Resumed {
  readonly isResumed: boolean;
  /** The deployment's state from the checkpoint. */
  readonly state: State | undefined;
}

/** Milliseconds between a failure and the next attempt. */
const pause = 5000;

/**
 * Pushes models of a run to a registry and points an alias to them while the run continues. Deploys the newest model,
 * and skips a model that is superseded before its turn. Failures are counted, reported and retried.
 */
export class Deployment {
  /** The address as users write it, `NAME@ALIAS`. */
  readonly address: string;
  readonly #name: string;
  readonly #alias: string;
  readonly #reporting: Reporting;
  readonly #isResumed: boolean;
  #registry: ModelRegistry;
  readonly #open: () => Promise<ModelRegistry>;
  #next: Uint8Array | undefined;
  #working: Promise<void> | undefined;
  #isEnding = false;
  #wake = () => {};
  #deployed = 0;
  #failures = 0;
  #version: DeploymentCounts['version'];

  private constructor(
    address: string,
    open: () => Promise<ModelRegistry>,
    registry: ModelRegistry,
    reporting: Reporting,
    { isResumed, state }: Resumed,
  ) {
    const wanted = modelAddress(address);
    this.address = addressText(wanted);
    this.#name = wanted.name;
    this.#alias = wanted.alias!;
    this.#open = open;
    this.#registry = registry;
    this.#reporting = reporting;
    this.#isResumed = isResumed;
    if (reporting.status !== undefined) reporting.status.deployment = () => this.counts;
    const isPending = state !== undefined && Object.hasOwn(state.arrays, 'pending');
    if (isPending) this.deploy(stateArray(state, 'pending', [Uint8Array]));
  }

  /**
   * Opens the registry; if it is missing when a run begins, the run does not start.
   *
   * @param address `nats://NAME@ALIAS`
   * @throws (rejects with) TagstreamError like `openRegistry`
   */
  static async open(
    address: string,
    choice: RegistryChoice,
    reporting: Reporting,
    resumed: Resumed,
  ): Promise<Deployment> {
    const open = () => openChosenRegistry(choice);
    return new Deployment(address, open, await open(), reporting, resumed);
  }

  get counts(): DeploymentCounts {
    return {
      ...{ address: this.address, deployed: this.#deployed, failures: this.#failures },
      ...(this.#version && { version: this.#version }),
    };
  }

  /** Returns the model that has not been deployed yet, which a resumed run deploys. */
  save(): State {
    return { json: {}, arrays: this.#next === undefined ? {} : { pending: this.#next } };
  }

  /** Deploys a model file without waiting for completion. */
  deploy(bytes: Uint8Array): void {
    this.#next = bytes;
    this.#working ??= this.#work();
  }

  /**
   * Deploys the model of the finished run.
   *
   * @throws (rejects with) TagstreamError if deployment fails
   */
  async end(bytes: Uint8Array): Promise<void> {
    this.#isEnding = true;
    this.#wake();
    await this.#working;
    await this.#attempt(bytes, true);
  }

  /** Leaves an undeployed model to a resumed run. */
  async close(): Promise<void> {
    this.#isEnding = true;
    this.#wake();
    await this.#registry.close();
    await this.#working;
  }

  async #work(): Promise<void> {
    while (this.#next !== undefined && !this.#isEnding) {
      try {
        await this.#attempt(this.#next);
      } catch (thrown) {
        this.#failures += 1;
        const error = TagstreamError.from(thrown, 'connection');
        if (!this.#isEnding) this.#reporting.events.onDeployFailed?.(this.address, error);
        await this.#rest();
      }
    }
    this.#working = undefined;
  }

  async #attempt(bytes: Uint8Array, isLast = false): Promise<void> {
    // The client closes a connection for good when its account expires.
    if (this.#registry.connection.core.isClosed()) this.#registry = await this.#open();
    const registry = this.#registry;
    const [name, alias, by] = [this.#name, this.#alias, whoThisIs()];
    const pushed = await pushModel(registry, { name, bytes, source: this.address, by });
    const { number, digest } = pushed.version;
    const standing = await standingAlias(registry, name, alias);
    // A resumed run makes models again that the previous run has deployed: the alias does not go back to them.
    const isBehind = !pushed.isNew && standing !== undefined && standing.number >= number;
    const isDone = this.#isResumed && !isLast && isBehind;
    if (!isDone) await promote(registry, { name, alias, by, number, before: standing ?? null });
    if (this.#next === bytes) this.#next = undefined;
    if (isDone) return;
    this.#deployed += 1;
    this.#version = { number, digest };
    this.#reporting.events.onDeployed?.(this.address, { number, digest });
  }

  async #rest(): Promise<void> {
    if (this.#isEnding) return;
    await new Promise<void>(resolve => {
      const timer = setTimeout(resolve, pause);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
