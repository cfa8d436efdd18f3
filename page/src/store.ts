/** A small typed store. Changes made in one turn of the event loop are reported together. */

export type Listener<S> = (state: Readonly<S>, changed: ReadonlySet<keyof S>) => void;

export class Store<S extends object> {
  #state: S;
  #changed = new Set<keyof S>();
  readonly #listeners = new Set<{ keys: readonly (keyof S)[]; listener: Listener<S> }>();

  constructor(initial: S) {
    this.#state = initial;
  }

  get state(): Readonly<S> {
    return this.#state;
  }

  /** Change some fields. Fields with an equal value do not count as changed. */
  set(patch: Partial<S>): void {
    const next = { ...this.#state, ...patch };
    const first = this.#changed.size === 0;
    for (const key of Object.keys(patch) as (keyof S)[]) {
      if (!Object.is(this.#state[key], next[key])) this.#changed.add(key);
    }
    this.#state = next;
    if (first && this.#changed.size > 0) queueMicrotask(() => this.flush());
  }

  /** Call `listener` after any of `keys` has changed. Returns a function that ends this. */
  on(keys: readonly (keyof S)[], listener: Listener<S>): () => void {
    const entry = { keys, listener };
    this.#listeners.add(entry);
    return () => this.#listeners.delete(entry);
  }

  /** Report the changes now. */
  flush(): void {
    const changed = this.#changed;
    if (changed.size === 0) return;
    this.#changed = new Set();
    for (const { keys, listener } of [...this.#listeners]) {
      if (keys.some((key) => changed.has(key))) listener(this.#state, changed);
    }
  }
}
