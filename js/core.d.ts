/** The kind of a token. */
export type Kind =
  | "word" | "number" | "date" | "latin" | "space" | "newline" | "script" | "cluster" | "punct" | "symbol"
  | "url" | "email" | "ip" | "time" | "quantity" | "version" | "hashtag" | "mention" | "code" | "emoji" | "phone";

export interface Options {
  /** Words of the user, the text of a user dictionary, one a line: word, then after a tab "force", "prefer"
   *  (the default), "delete", "split" (提|出) or a weight; after more tabs a tag, a payload, and options. */
  words?: string;
  /** Characters that no word covers: "chars" (default) or "keep". For the lattice only. */
  oov?: string;
  /** Kinds of tokens to leave out: "space", "punct" or "space,punct". */
  skip?: string;
  /** Typed atoms: "keep", "split", "none", or single rules as in "url=split,date=model". */
  atoms?: string;
  /** Instead of the model's own: "unigram", "forward-max", "backward-max", "bidirectional-max", "shortest", "n-shortest". */
  decoder?: string;
  /** false: Traditional forms are not read as the forms of the lexicon. */
  variants?: boolean;
  /** Tokens of an index: "min_length=3", "ngrams=2", "runs=split", "single", separated by commas. */
  search?: string;
}

/** Tokens: words; words with those inside them; or also their characters, for an index or a query. */
export type Mode = "words" | "search" | "index" | "query";

export interface LoadOptions extends Options {
  /** "small" (default): the unigram lattice over a pruned lexicon; "full": the tagger of the preset
   *  `fast`; or the bytes of a lexicon that `segmenter build lexicon` compiled, gzip or not. */
  model?: "small" | "full" | Uint8Array;
  /** true: tag() works. Reads 1.2 MB more. */
  tags?: boolean;
}

export interface Token {
  text: string;
  /** In UTF-16 units, as `text.slice(start, end)` counts. */
  start: number;
  end: number;
  kind: Kind;
  /** Position and position length in the token graph, as in Lucene; absent in the mode "words". */
  position?: number;
  positionLength?: number;
}

export interface Edge {
  start: number;
  end: number;
  cost: number;
  /** "unknown" for a character that no word covers, "user" for a word of the user. */
  kind: Kind | "unknown" | "user";
}

/** An error of the library: the message says what is wrong and what to do. */
export class SegmenterError extends Error {}

/** An opened segmenter: immutable. */
export class Segmenter {
  private constructor();
  /** The words of a text. Joined they are the text, unless `skip` leaves some out. */
  cut(text: string): string[];
  /** The exclusive end of each word in UTF-16 units. */
  ends(text: string): Uint32Array;
  /** The words of a text with offsets and kinds; or the tokens of an index or a query. */
  tokenize(text: string, mode?: Mode): Token[];
  /** The token that the character at `offset` is in, in UTF-16 units: what a double click selects. Only the
   *  lines around it are read, so that the text may be long. null: the text's end, or a token that `skip`
   *  leaves out. */
  tokenAt(text: string, offset: number): Token | null;
  /** The first token that begins after `offset`, blanks and line ends passed over; null: there is none. */
  nextWord(text: string, offset: number): Token | null;
  /** The last token that begins before `offset`, the same. */
  previousWord(text: string, offset: number): Token | null;
  /** The words of a text, each with its part of speech in this context: [["发展", "v"], …].  Needs
   *  load({ tags: true }). */
  tag(text: string): [word: string, tag: string][];
  /** A text as words are looked up: full width, capitals and Traditional forms folded, character by
   *  character.  A text holds a query, in whatever script, if fold(text) holds fold(query). */
  fold(text: string): string;
  /** The word graph of a text: every possible word and its cost, -ln p, by start and then by end; with
   *  `decided` without edges that words of the user and atoms exclude. Only of a lattice ("small"). */
  lattice(text: string, decided?: boolean): Edge[];
  /** The same model with other options; those not named stay. */
  with(options: Options): Segmenter;
  /** Equal fingerprints give equal boundaries; that of Python for the same files, options and words. */
  readonly fingerprint: string;
}

/** `load` for other environments: `read` returns the bytes of a file of the package. */
export function loader(
  read: (name: string) => Promise<Uint8Array>,
): (options?: LoadOptions) => Promise<Segmenter>;
