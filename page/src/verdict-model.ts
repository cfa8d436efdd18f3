/**
 * Keeps the verdicts up to date with the state. Each change of file, rows, columns or profile is one request to the
 * engine. Changes that are made during a request result in one more request, so that typing never waits for old texts.
 */

import type { CrawlerObject } from "./crawlers.js";
import { Registry } from "./crawlers.js";
import { startVerdictEngine } from "./engine-source.js";
import {
  EngineError,
  type AgentChain,
  type Explanation,
  type FileInfo,
  type Reading,
  type VerdictEngine,
  type Verdicts,
} from "./engine/engine.js";
import { originOfFile } from "./engine/origin.js";
import { countedProfiles } from "./profiles.js";
import type { Server } from "./server.js";
import { loadCrawlers } from "./site.js";
import type { AppStore, Cell, Loaded, Source, State } from "./state.js";
import { Store } from "./store.js";
import { Versions } from "./versions.js";

/** Why the selected cell has its verdict. */
export interface Explained {
  readonly cell: Cell;
  readonly crawler: string;
  /** Whether the groups for `*` can apply to the crawler. */
  readonly starApplies: boolean;
  readonly url: string;
  readonly profile: string;
  readonly explanation: Explanation;
  readonly readings: readonly Reading[];
  /** The explanations of the readings with another outcome, by profile. */
  readonly others: ReadonlyMap<string, Explanation>;
  /** How these readings and the chosen one read the lines of the file, if there are others. */
  readonly infos: ReadonlyMap<string, FileInfo>;
}

/** Who reads the line under the cursor. */
export interface LineReaders {
  readonly line: number;
  readonly kind: string;
  readonly crawlers: readonly string[];
}

export interface Results {
  engine: "starting" | "ready" | "failed";
  failure: string;
  registry: Registry;
  /** The question that `matrix` answers. */
  question: { readonly urls: readonly string[]; readonly crawlers: readonly string[]; readonly profile: string } | null;
  matrix: Verdicts | null;
  differs: Uint8Array | null;
  /** 1 for each cell that the last edit of the file changed. */
  changed: Uint8Array | null;
  info: FileInfo | null;
  explained: Explained | null;
  readers: LineReaders | null;
}

/** Characters. For larger files, all but the verdicts waits until typing pauses. */
const LARGE_FILE = 64 * 1024;
const DETAILS_DELAY_MS = 250;

/** Files for which the page chooses rows and columns. */
const LOADED: ReadonlySet<Source> = new Set(["fetched", "opened", "pasted"]);

/** The results before there are any. Those of another file are never shown. */
const NO_RESULTS = {
  question: null,
  matrix: null,
  differs: null,
  changed: null,
  info: null,
  explained: null,
  readers: null,
} as const;

const ASKED: readonly (keyof State)[] = ["file", "bytes", "address", "urls", "crawlers", "profile", "historic"];

export class VerdictModel {
  readonly results = new Store<Results>({
    engine: "starting",
    failure: "",
    registry: new Registry([]),
    ...NO_RESULTS,
  });
  /** Resolved when the first answers have arrived, or there are none. */
  started: Promise<void> = Promise.resolve();
  readonly #store: AppStore;
  readonly #server: Server | null;
  #engine: VerdictEngine | null = null;
  #isRunning = false;
  #isStale = false;
  #line = 0;
  /** The cell that was explained last. */
  #explained: Cell | null = null;
  readonly #versions = new Versions();
  /** The file for which rows and columns were chosen last. */
  #suggestedFor: Loaded | null;
  /** The state that the results are about. */
  #answered: Readonly<State> | null = null;
  /** Whether the differences are those of this state. */
  #isCompared = false;
  /** Counts the questions about the matrix. */
  #version = 0;
  #detailsTimer = 0;
  #agents: { crawlers: readonly string[]; chains: readonly AgentChain[] } = { crawlers: [], chains: [] };

  /** `server` is null in a static site. */
  constructor(store: AppStore, server: Server | null) {
    this.#store = store;
    this.#server = server;
    this.#suggestedFor = store.state.loaded;
    store.on(ASKED, () => void this.#ask());
    store.on(["selected"], () => {
      if (!this.#isRunning) void this.#explain();
    });
  }

  /** Load the engine and the registry. After a failure, this can be called again. */
  start(): Promise<void> {
    return (this.started = this.#start());
  }

  async #start(): Promise<void> {
    this.results.set({ engine: "starting", failure: "" });
    try {
      const engine = await startVerdictEngine(this.#server);
      engine.onFailure = (error) => this.#fail(error);
      const registry = new Registry(await loadCrawlers());
      this.#engine = engine;
      this.#agents = { crawlers: [], chains: [] };
      this.results.set({ registry });
      // The engine answers as soon as it is loaded.
      const asked = this.#ask();
      await engine.loaded;
      this.results.set({ engine: "ready" });
      await asked;
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Keep the rows and columns of the file that was loaded now: they came with it. */
  keepQuestion(): void {
    this.#suggestedFor = this.#store.state.loaded;
  }

  /** The readings of the engine. */
  get profiles(): readonly string[] {
    return this.#engine?.profiles ?? [];
  }

  /** Wait until the verdicts and the differences are those of the page. Returns whether there are any. */
  settled(): Promise<boolean> {
    return new Promise((resolve) => {
      const check = (): void => {
        const isSettled = this.#isCompared && ASKED.every((key) => this.#answered?.[key] === this.#store.state[key]);
        if (!isSettled && this.results.state.engine !== "failed") return;
        end();
        resolve(isSettled);
      };
      const end = this.results.on(["engine", "matrix", "differs"], check);
      check();
    });
  }

  /** Find out who reads a line of the editor. */
  async setLine(line: number): Promise<void> {
    this.#line = line;
    await this.#readers();
  }

  /** Return whether a crawler may fetch a URL in a reading, or null if there is no verdict. */
  async allows(url: string, crawler: string, profile: string): Promise<boolean | null> {
    try {
      return (await this.#engine?.explain(url, this.chain(crawler), profile))?.allowed ?? null;
    } catch (error) {
      if (error instanceof EngineError) return null;
      throw error;
    }
  }

  /** Return the tokens of a crawler, with those that it falls back to. */
  chain(crawler: string): AgentChain {
    const entry: CrawlerObject | undefined = this.results.state.registry.find(crawler);
    return entry
      ? { tokens: entry.tokens, starApplies: entry.star_applies }
      : { tokens: [crawler], starApplies: true };
  }

  async #ask(): Promise<void> {
    if (this.#answered && this.#answered.loaded !== this.#store.state.loaded) this.#clear();
    if (!this.#engine || this.#isRunning) {
      this.#isStale = true;
      return;
    }
    this.#isRunning = true;
    try {
      do {
        this.#isStale = false;
        await this.#answer(this.#engine);
      } while (this.#isStale);
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isRunning = false;
    }
    // The cell was selected after the request was sent.
    if (this.#store.state.selected !== this.#explained) void this.#explain();
  }

  async #answer(engine: VerdictEngine): Promise<void> {
    const { state } = this.#store;
    const { file, bytes, loaded, address, urls, crawlers, profile } = state;
    clearTimeout(this.#detailsTimer);
    const agents = this.#chains(crawlers);
    const opened = engine.open(bytes ?? file, { url: originOfFile(address) ? address : null });
    if (await this.#suggest(engine, opened)) return;
    const asked = engine.matrix({ profile, targets: urls, agents, compareWith: [] });
    this.#version += 1;
    const { question } = this.results.state;
    // The first view shows an explanation. Later ones wait until the verdicts are painted.
    const described = question === null ? this.#describe(engine) : null;
    // If both fail, one of them is reported.
    described?.catch(() => undefined);
    const [, matrix] = await Promise.all([opened, asked]);
    if (!matrix || loaded !== this.#store.state.loaded) {
      await described;
      return;
    }
    this.#answered = state;
    this.#isCompared = false;
    const isSameShape = question?.urls === urls && question.crawlers === crawlers;
    this.results.set({
      question: { urls, crawlers, profile },
      matrix,
      changed: this.#versions.changed(state, matrix),
      // The old corners stay until the new ones are known, so that they do not flicker.
      ...(isSameShape ? {} : { differs: null }),
    });
    this.results.flush();
    if (this.#isStale) return;
    if (file.length > LARGE_FILE && isSameShape) {
      // Each reading parses the file, and the next key would wait for all of them.
      this.#detailsTimer = window.setTimeout(() => void this.#details(engine), DETAILS_DELAY_MS);
    } else {
      await (described ?? this.#describe(engine));
      this.#detailsTimer = window.setTimeout(() => void this.#compare(), 0);
    }
  }

  /** Set the rows and columns for a file that was loaded. Returns whether there are other questions now. */
  async #suggest(engine: VerdictEngine, opened: Promise<void>): Promise<boolean> {
    const { state } = this.#store;
    const { loaded, ownUrls, ownCrawlers, closed } = state;
    if (loaded === this.#suggestedFor) return false;
    this.#suggestedFor = loaded;
    if (closed || !LOADED.has(state.source) || (ownUrls && ownCrawlers)) return false;
    let found;
    try {
      const { suggestions } = await import("./suggestions.js");
      await opened;
      found = await suggestions(engine, this.results.state.registry, (crawler) => this.chain(crawler), state);
    } catch (error) {
      // They are chosen when the user tries again.
      this.#suggestedFor = null;
      throw error;
    }
    const { urls, crawlers } = this.#store.state;
    // The user was faster.
    if (this.#store.state.loaded !== loaded || urls !== state.urls || crawlers !== state.crawlers) return false;
    this.#store.set(found);
    this.#store.flush();
    return true;
  }

  /** Describe the file and compare its readings. */
  async #details(engine: VerdictEngine): Promise<void> {
    try {
      await this.#describe(engine);
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (!this.#isRunning) await this.#compare();
  }

  /** Compute what is shown next to the verdicts: the sizes of the file, the explanation, and the readers of the line. */
  async #describe(engine: VerdictEngine): Promise<void> {
    const { profile, loaded } = this.#store.state;
    const info = engine.info(profile).then((value) => {
      if (this.#isOf(loaded)) this.results.set({ info: value });
    });
    await Promise.all([info, this.#explain(), this.#readers()]);
  }

  async #compare(): Promise<void> {
    const { urls, crawlers, profile, historic } = this.#store.state;
    const { question } = this.results.state;
    if (!this.#engine || question?.urls !== urls || question.crawlers !== crawlers) return;
    const compareWith = countedProfiles(historic).filter((other) => other !== profile);
    try {
      const agents = this.#chains(crawlers);
      const answer = await this.#engine.matrix({ profile, targets: urls, agents, compareWith });
      const differs = await answer?.differs;
      if (!differs || this.results.state.question !== question) return;
      this.#isCompared = true;
      // Equal differences are reported, too: an export waits for them.
      this.results.set({ differs });
    } catch (error) {
      this.#fail(error);
    }
  }

  #chains(crawlers: readonly string[]): readonly AgentChain[] {
    // The same array again is not sent to the worker.
    if (this.#agents.crawlers !== crawlers) {
      this.#agents = { crawlers, chains: crawlers.map((crawler) => this.chain(crawler)) };
    }
    return this.#agents.chains;
  }

  async #explain(): Promise<void> {
    const engine = this.#engine;
    const version = this.#version;
    const { selected, urls, crawlers, profile, loaded } = this.#store.state;
    this.#explained = selected;
    const url = selected && urls[selected.url];
    const crawler = selected && crawlers[selected.crawler];
    if (!engine || !selected || url === undefined || url === null || crawler === undefined || crawler === null) {
      this.results.set({ explained: null });
      return;
    }
    try {
      const agent = this.chain(crawler);
      const [explanation, readings] = await Promise.all([
        engine.explain(url, agent, profile),
        engine.readings(url, agent),
      ]);
      const own = outcome(explanation.allowed, explanation.rule?.line ?? null);
      const differing = readings.filter(({ allowed, line }) => outcome(allowed, line) !== own).map((reading) => reading.profile);
      const others = new Map<string, Explanation>();
      const infos = new Map<string, FileInfo>();
      for (const other of differing) others.set(other, await engine.explain(url, agent, other));
      for (const other of differing.length > 0 ? [profile, ...differing] : []) infos.set(other, await engine.info(other));
      // Another answer has arrived meanwhile, or is on its way.
      if (version !== this.#version || selected !== this.#store.state.selected || !this.#isOf(loaded)) return;
      this.results.set({ explained: { cell: selected, crawler, starApplies: agent.starApplies, url, profile, explanation, readings, others, infos } });
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      // A row of another host, for example: the matrix shows the reason.
      this.results.set({ explained: null });
    }
  }

  async #readers(): Promise<void> {
    const line = this.#line;
    const { crawlers, profile, loaded } = this.#store.state;
    if (!this.#engine || line === 0) return;
    const { kind, reads } = await this.#engine.readers(line, this.#chains(crawlers), profile);
    if (line !== this.#line || !this.#isOf(loaded)) return;
    this.results.set({ readers: { line, kind, crawlers: crawlers.filter((_, index) => reads[index]) } });
  }

  /** Whether an answer about a file can be shown: it is still the file of the page, and nothing failed. */
  #isOf(loaded: Loaded): boolean {
    return this.#engine !== null && loaded === this.#store.state.loaded;
  }

  #clear(): void {
    this.#answered = null;
    this.#isCompared = false;
    this.results.set(NO_RESULTS);
  }

  #fail(error: unknown): void {
    this.#engine = null;
    clearTimeout(this.#detailsTimer);
    this.#clear();
    this.results.set({ engine: "failed", failure: error instanceof Error ? error.message : String(error) });
  }
}

/** A key for an outcome: two readings with the same key are shown together. */
export function outcome(allowed: boolean, line: number | null): string {
  return `${allowed ? "allowed" : "blocked"} ${line ?? 0}`;
}
