import type { Segmenter } from "./core.js";

/** Terms for search engines in a page, for the index and for queries. Immutable. */
export class Terms {
  constructor(seg: Segmenter);

  /** The terms of a text: words of two characters, every pair of neighbouring characters, characters, and runs of
   * letters or digits; width, case and script are folded. */
  index(text: string): string[];

  /** The terms that a text must have, all of them, to be found: the pairs inside each word of the query. Up to three
   * characters between blanks and punctuation are one word. */
  query(text: string): string[];

  /** `query` as one string, for engines that have one tokenizer for texts and queries (FlexSearch, Orama). */
  ask(text: string): string;

  /** The terms of a text, or of what `ask` returned. */
  either(text: string): string[];

  /** Whether a text has all terms of a query; one of letters or digits may be the beginning of a word. */
  has(text: string, query: string): boolean;

  /** Where the words of a query stand in a text: `[start, end]` in UTF-16 units, in order, apart from each other. */
  spans(text: string, query: string): [number, number][];

  /** The text as HTML, with these spans between `open` and `close`. */
  mark(text: string, query: string, open?: string, close?: string): string;
}

export function forMiniSearch(terms: Terms): {
  tokenize(text: string): string[];
  processTerm(term: string): string;
  searchOptions: {
    tokenize(text: string): string[];
    processTerm(term: string): string;
    combineWith: "AND";
    prefix(term: string): boolean;
  };
};

export function forFlexSearch(terms: Terms): { tokenize: "strict"; encode(text: string): string[] };

export function forLunr(terms: Terms): (builder: object) => void;
export function lunrQuery(terms: Terms, text: string): (query: object) => void;

export function forOrama(terms: Terms): {
  language: string;
  normalizationCache: Map<string, string>;
  tokenize(text: string): string[];
};

export interface Page {
  url: string;
  title?: string;
  text: string;
  meta?: Record<string, string>;
}
export function forPagefind(terms: Terms, page: Page): {
  url: string;
  content: string;
  language: string;
  meta: Record<string, string>;
};
