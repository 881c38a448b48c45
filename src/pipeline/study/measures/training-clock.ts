/** Measures the time of training alone, by the clock and of the processors; stands still while others work. */
export class TrainingClock {
  #wall = performance.now();
  #cpu = process.cpuUsage();
  #seconds = 0;
  #cpuSeconds = 0;

  /** Starts again from zero. */
  restart(): void {
    this.#seconds = 0;
    this.#cpuSeconds = 0;
    this.goOn();
  }

  /** Takes the time up to now. */
  pause(): { readonly seconds: number; readonly cpu: number } {
    const { user, system } = process.cpuUsage(this.#cpu);
    this.#seconds += (performance.now() - this.#wall) / 1e3;
    this.#cpuSeconds += (user + system) / 1e6;
    this.goOn();
    return { seconds: this.#seconds, cpu: this.#cpuSeconds };
  }

  /** Time counts again from now on. */
  goOn(): void {
    this.#wall = performance.now();
    this.#cpu = process.cpuUsage();
  }
}
