/** A request of which only the latest counts: earlier ones are aborted, and their answers dropped. */

export interface Outcome<T> {
  done(result: T): void;
  failed(error: unknown): void;
}

export class LatestRequest {
  #timer = 0;
  #controller: AbortController | null = null;

  /** Send after a delay, unless another request is scheduled meanwhile. */
  schedule<T>(delayMs: number, send: (signal: AbortSignal) => Promise<T>, outcome: Outcome<T>): void {
    this.cancel();
    const controller = new AbortController();
    this.#controller = controller;
    this.#timer = window.setTimeout(() => {
      send(controller.signal).then(
        (result) => {
          if (!controller.signal.aborted) outcome.done(result);
        },
        (error: unknown) => {
          if (!controller.signal.aborted) outcome.failed(error);
        },
      );
    }, delayMs);
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#controller?.abort();
    this.#controller = null;
  }
}
