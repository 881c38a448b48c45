import { TagstreamError } from '../../../core/errors.js';
import type { DeploymentCounts, RunStatus } from '../../../core/run-status.js';
import { promote } from '../../../io/nats/registry/aliases.js';
import { addressText, modelAddress } from '../../../io/nats/registry/model-address.js';
import type { ModelRegistry } from '../../../io/nats/registry/open-registry.js';
import { pushModel, whoThisIs } from '../../../io/nats/registry/versions.js';
import type { RunEvents } from '../../definition/events.js';
import type { RegistryChoice } from '../../setup/run-options.js';
import { openChosenRegistry } from './open-chosen-registry.js';

/** What a deployment reports to. */
interface Reporting {
  readonly events: RunEvents;
  readonly status: RunStatus | undefined;
}

/** Milliseconds from a failure to the next attempt. */
const pause = 5000;

/**
 * Pushes models of a run to a registry and points an alias to them while the run continues. The newest model is deployed; one
 * that a newer one follows before its turn is left out. Failures are counted, reported, and tried again.
 */
export class Deployment {
  /** `NAME@ALIAS`, as people write it. */
  readonly address: string;
  readonly #name: string;
  readonly #alias: string;
  readonly #reporting: Reporting;
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
  ) {
    const wanted = modelAddress(address);
    this.address = addressText(wanted);
    this.#name = wanted.name;
    this.#alias = wanted.alias!;
    this.#open = open;
    this.#registry = registry;
    this.#reporting = reporting;
    if (reporting.status !== undefined) reporting.status.deployment = () => this.counts;
  }

  /**
   * Opens the registry: where it is not there when a run begins, the run does not begin.
   *
   * @param address `nats://NAME@ALIAS`
   * @throws (rejects with) TagstreamError as `openRegistry`
   */
  static async open(
    address: string,
    choice: RegistryChoice,
    reporting: Reporting,
  ): Promise<Deployment> {
    const open = () => openChosenRegistry(choice);
    return new Deployment(address, open, await open(), reporting);
  }

  get counts(): DeploymentCounts {
    return {
      ...{ address: this.address, deployed: this.#deployed, failures: this.#failures },
      ...(this.#version && { version: this.#version }),
    };
  }

  /** Whether a model is not deployed yet: a run that resumes has to deploy its own. */
  get isPending(): boolean {
    return this.#next !== undefined;
  }

  /** Deploys a model file, without waiting for it. */
  deploy(bytes: Uint8Array): void {
    this.#next = bytes;
    this.#working ??= this.#work();
  }

  /**
   * Waits until all is deployed, and tries what has failed once more.
   *
   * @throws (rejects with) TagstreamError with which that failed
   */
  async end(): Promise<void> {
    this.#isEnding = true;
    this.#wake();
    await this.#working;
    if (this.#next !== undefined) await this.#attempt(this.#next);
  }

  /** Leaves what is not deployed for a run that resumes. */
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

  async #attempt(bytes: Uint8Array): Promise<void> {
    // The client closes a connection for good when its account expires.
    if (this.#registry.connection.core.isClosed()) this.#registry = await this.#open();
    const registry = this.#registry;
    const [name, alias, by] = [this.#name, this.#alias, whoThisIs()];
    const { version } = await pushModel(registry, { name, bytes, source: this.address, by });
    const { number, digest } = await promote(registry, {
      ...{ name, alias, by, number: version.number },
    });
    if (this.#next === bytes) this.#next = undefined;
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
