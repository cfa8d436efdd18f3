/** The texts of the page in one language. Each language is one file in texts/, loaded when it is chosen. */

import { append, type Child } from "./dom.js";
import { type Catalogue, en, type TextKey } from "./texts/en.js";
import type { Message } from "./texts/message.js";

export type { TextKey };

/** The linter's languages, each under the name that its speakers use. */
export const LANGUAGES = {
  en: "English",
  de: "Deutsch",
  es: "Español",
  it: "Italiano",
  ja: "日本語",
  ko: "한국어",
} as const;
export type Language = keyof typeof LANGUAGES;

export type Value = string | number | Node;
export type Values = { readonly [name: string]: Value };

type Messages<Key extends string> = { readonly [key in Key]?: Message };

/** The texts of the page, or those of a part that is loaded on demand with its own keys. */
export class Texts<Key extends string = TextKey> {
  #catalogue: Messages<Key>;
  readonly #later: () => Promise<Messages<Key>>;
  readonly #plurals: () => Intl.PluralRules;
  readonly #numbers: () => Intl.NumberFormat;
  readonly #lists: () => Intl.ListFormat;

  constructor(
    readonly language: Language,
    catalogue: Messages<Key>,
    later: () => Promise<Messages<Key>> = () => Promise.resolve({}),
  ) {
    this.#catalogue = catalogue;
    this.#later = later;
    // Creating one takes milliseconds, and the first view needs few of them.
    this.#plurals = once(() => new Intl.PluralRules(language));
    this.#numbers = once(() => new Intl.NumberFormat(language));
    this.#lists = once(() => new Intl.ListFormat(language, { type: "conjunction" }));
  }

  /** Load the texts of parts that are loaded on demand. */
  async complete(): Promise<void> {
    this.#catalogue = { ...(await this.#later()), ...this.#catalogue };
  }

  /** Return a text. Numbers in placeholders are written as the language writes them, except those of lines. */
  t(key: Key, values: Readonly<Record<string, string | number>> = {}): string {
    return this.#parts(key, values)
      .map((part) => (typeof part === "string" ? part : this.#plain(part.value as string | number)))
      .join("");
  }

  /** Return a text as nodes. Values are isolated from the direction of the text, or are elements themselves. */
  nodes(key: Key, values: Values = {}): Child[] {
    return this.#parts(key, values).map((part) => {
      if (typeof part === "string") return part;
      if (part.value instanceof Node) return part.value;
      const isolated = document.createElement("bdi");
      append(isolated, this.#plain(part.value));
      return isolated;
    });
  }

  number(value: number): string {
    return this.#numbers().format(value);
  }

  /** Join with the commas and the "and" of the language. */
  list(items: readonly string[]): string {
    return this.#lists().format(items);
  }

  /** Join elements as `list` does. */
  listNodes(items: readonly Node[]): Child[] {
    const indexes = items.map((_, index) => String(index));
    return this.#lists()
      .formatToParts(indexes)
      .map((part) => (part.type === "element" ? (items[Number(part.value)] ?? "") : part.value));
  }

  #plain(value: Value): string {
    return typeof value === "number" ? this.#numbers().format(value) : String(value);
  }

  #parts(key: Key, values: Values): (string | { value: Value })[] {
    const message = this.#catalogue[key];
    let text: string;
    if (message === undefined) throw new Error(`the text ${key} is not loaded`);
    if (typeof message === "string") {
      text = message;
    } else {
      const form = this.#plurals().select(Number(values[message.by] ?? 0));
      text = message[form] ?? message.other ?? "";
    }
    return text.split(/(\{\w+\})/).map((part) => {
      const name = part.startsWith("{") ? part.slice(1, -1) : "";
      const value = values[name];
      if (value === undefined) return part;
      // As in the editor and in the messages of the linter.
      return { value: name === "line" && typeof value === "number" ? String(value) : value };
    });
  }
}

/** Load the texts of a language. Those without a translation are in English. */
export async function loadTexts(language: Language): Promise<Texts> {
  const texts = language === "en" ? en : { ...en, ...(await catalogue(language)) };
  return new Texts<TextKey>(language, texts, async () => (await import("./texts/later/en.js")).later);
}

/** Return the best language for a list of language tags, such as `navigator.languages`. */
export function preferredLanguage(tags: readonly string[]): Language {
  for (const tag of tags) {
    const language = tag.toLowerCase().split("-")[0] ?? "";
    if (isLanguage(language)) return language;
  }
  return "en";
}

export function isLanguage(text: unknown): text is Language {
  return typeof text === "string" && Object.hasOwn(LANGUAGES, text);
}

async function catalogue(language: Exclude<Language, "en">): Promise<Catalogue> {
  switch (language) {
    case "de":
      return (await import("./texts/de.js")).de;
    case "es":
      return (await import("./texts/es.js")).es;
    case "it":
      return (await import("./texts/it.js")).it;
    case "ja":
      return (await import("./texts/ja.js")).ja;
    case "ko":
      return (await import("./texts/ko.js")).ko;
  }
}

function once<T>(create: () => T): () => T {
  let value: T | null = null;
  return () => (value ??= create());
}
