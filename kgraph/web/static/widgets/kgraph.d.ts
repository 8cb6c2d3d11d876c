/** Types of kgraph's custom elements: `/widgets/kgraph.js` and `/widgets/kgraph.d.ts` belong together. */

/** What an element is doing or showing. */
export type KgraphState = 'idle' | 'loading' | 'ready' | 'empty' | 'unknown' | 'error';

/** Attributes of every element, which are properties of the same names; empty text is the same as none. */
export interface KgraphAttributes {
  /** Slug, alias or digest of an operation, or slug of a family. */
  operation?: string;
  /** Spec digest of a workload, its object id, or 8 or more hex digits of one. */
  workload?: string;
  /** A product, with or without its maker, as `H100`. */
  hardware?: string;
  /** Key of one comparison, written out in full; it wins over the names. */
  cohort?: string;
  /** Colours; those of the reader's system where left out. */
  theme?: 'light' | 'dark' | 'auto';
  /** Snapshot to stay at, or a unique prefix of one; the newest where left out. */
  snapshot?: string;
  /** Address of the server; where the script came from where left out. */
  server?: string;
  /** Seconds after which to ask again, 15 or more; never where left out. */
  refresh?: number | string;
}

export interface KgraphListAttributes extends KgraphAttributes {
  /** Most items that are shown, 1 to 200. */
  limit?: number | string;
}

export interface KgraphScalingAttributes extends KgraphListAttributes {
  /** Name of the axis to plot along; that with most sizes where left out. */
  axis?: string;
}

export interface KgraphLoadDetail {
  state: 'ready' | 'empty';
  /** Snapshot of what is shown; null where the names lead to no comparison. */
  snapshot: string | null;
  /** Key of the comparison; null where there is none. */
  cohort: string | null;
  /** Slug of its operation; null where there is none. */
  operation: string | null;
}

export interface KgraphErrorDetail {
  /** The API's code, or `NETWORK`, `TIMEOUT`, `HTTP`, `UNKNOWN_NAME`, `NOT_ASKED`, `BAD_SERVER`, `INTERNAL`. */
  code: string;
  message: string;
}

export interface KgraphElementEventMap extends HTMLElementEventMap {
  /** An answer is shown; bubbles, also out of a shadow tree. */
  'kgraph-load': CustomEvent<KgraphLoadDetail>;
  /** Nothing could be shown, or what is shown could not be brought up to date; bubbles likewise. */
  'kgraph-error': CustomEvent<KgraphErrorDetail>;
}

declare abstract class KgraphElement extends HTMLElement {
  operation: string;
  workload: string;
  hardware: string;
  cohort: string;
  get theme(): string;
  set theme(value: 'light' | 'dark' | 'auto' | '' | null);
  snapshot: string;
  server: string;
  get limit(): string;
  set limit(value: number | string | null);
  axis: string;
  get refresh(): string;
  set refresh(value: number | string | null);
  get state(): KgraphState;
  /** Asks again; resolves once the answer, or what went wrong, is shown. */
  reload(): Promise<void>;

  addEventListener<K extends keyof KgraphElementEventMap>(
    type: K,
    listener: (this: this, event: KgraphElementEventMap[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
  removeEventListener<K extends keyof KgraphElementEventMap>(
    type: K,
    listener: (this: this, event: KgraphElementEventMap[K]) => unknown,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | EventListenerOptions): void;
}

/** Who is fastest, as a table; 10 rows where no limit is given. */
export class KgraphRanking extends KgraphElement {}
/** The standing record, as a card. */
export class KgraphRecord extends KgraphElement {}
/** How the record changed; the latest 200 changes where no limit is given. */
export class KgraphHistory extends KgraphElement {}
/** How implementations scale along one axis, with the estimated floor. */
export class KgraphScaling extends KgraphElement {}
/** How far the record lies from what the hardware allows. */
export class KgraphHeadroom extends KgraphElement {}

declare global {
  interface HTMLElementTagNameMap {
    'kgraph-ranking': KgraphRanking;
    'kgraph-record': KgraphRecord;
    'kgraph-history': KgraphHistory;
    'kgraph-scaling': KgraphScaling;
    'kgraph-headroom': KgraphHeadroom;
  }

  /** Both events bubble, so a document hears them too. */
  interface DocumentEventMap {
    'kgraph-load': CustomEvent<KgraphLoadDetail>;
    'kgraph-error': CustomEvent<KgraphErrorDetail>;
  }
}
