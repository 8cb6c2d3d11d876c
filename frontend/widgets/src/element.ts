/** What all widgets share: attributes, states, and one request at a time. */
import { AskError, type Document } from './ask.ts';
import type { Catalog, Place } from './data.ts';
import { type Child, html, link } from './dom.ts';
import { type Outcome, type Wanted, find, findNewest, hardwareSlug } from './find.ts';
import { capitalize, showCount, showDate, showInstant, showMetric } from './words.ts';
import styles from './widget.css';

const NAMES = ['operation', 'workload', 'hardware', 'cohort', 'snapshot', 'server'] as const;
const OTHERS = ['theme', 'limit', 'axis', 'refresh'] as const;

/** Attributes that every element knows; those of no use to one are left alone by it. */
export const ATTRIBUTES: readonly string[] = [...NAMES, ...OTHERS];

const SOURCES = new Set<string>([...NAMES, 'limit', 'axis', 'hidden']);
const MAX_LIMIT = 200;
const MIN_REFRESH = 15;

export type State = 'idle' | 'loading' | 'ready' | 'empty' | 'unknown' | 'error';

/** Where the elements of a page lead to. */
export interface Links {
  run(digest: string): string;
  page(path: string): string;
}

/** What a widget makes of a comparison. */
export interface View {
  /** The comparison in words, for those who listen. */
  label: string;
  body: Child[];
}

let sheet: CSSStyleSheet | undefined;

/** Constructed, not written into the page: pages may forbid styles of their own. */
function sharedStyles(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(styles);
  }
  return sheet;
}

/** Where the script came from, without its own path; a proxy may put the server below one. */
function findServer(script: string): string {
  const { origin, pathname } = new URL(script);
  const [, base = ''] = pathname.match(/^(.*)\/widgets\/(?:[0-9a-f]{16}\/)?[^/]+$/) ?? [];
  return origin + base;
}

export abstract class KgraphElement<C extends Place> extends HTMLElement {
  static readonly observedAttributes: readonly string[] = [...ATTRIBUTES, 'hidden'];

  /** What is shown, as `ranking`. */
  protected abstract readonly kind: string;
  protected abstract readonly document: Document;
  /** How many items, where no limit is given. */
  protected readonly usualLimit: number = MAX_LIMIT;

  /** What the document takes beyond the names. */
  protected abstract variables(limit: number): object;
  /** The comparison as people see it; text where it holds nothing to show. */
  protected abstract view(comparison: C, links: Links, limit: number): View | string;

  readonly #root = this.attachShadow({ mode: 'open' });
  readonly #frame = html('div', { class: 'kgraph', part: 'widget', role: 'group', tabindex: -1 });
  readonly #told = html('p', { class: 'hidden', role: 'status' });
  #state: State = 'idle';
  #request: AbortController | null = null;
  #isScheduled = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What the answer on show was asked by, its text, and when it came. */
  #shown: { key: string; text: string; at: Date; draw: (notice: Child) => void } | null = null;

  constructor() {
    super();
    this.#root.adoptedStyleSheets = [sharedStyles()];
    this.#root.append(this.#frame, this.#told);
  }

  /** What the element is doing or showing. */
  get state(): State {
    return this.#state;
  }

  connectedCallback(): void {
    // Set before the script came, a property would hide the accessor of its name.
    for (const name of ATTRIBUTES) {
      if (!Object.hasOwn(this, name)) continue;
      const given: unknown = Reflect.get(this, name);
      Reflect.deleteProperty(this, name);
      Reflect.set(this, name, given);
    }
    addEventListener('online', this.#onLine);
    addEventListener('offline', this.#offLine);
    document.addEventListener('visibilitychange', this.#onLine);
    this.#schedule();
  }

  disconnectedCallback(): void {
    removeEventListener('online', this.#onLine);
    removeEventListener('offline', this.#offLine);
    document.removeEventListener('visibilitychange', this.#onLine);
    this.#stop();
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after) return;
    if (name === 'refresh') this.#plan();
    else if (SOURCES.has(name)) this.#schedule();
  }

  /** Asks again; resolves once the answer, or what went wrong, is shown. */
  async reload(): Promise<void> {
    this.#isScheduled = false;
    this.#stop();
    if (!this.isConnected || this.hidden) return;
    const request = new AbortController();
    this.#request = request;
    const key = JSON.stringify([...SOURCES].map((name) => this.getAttribute(name)));
    const shown = this.#shown?.key === key ? this.#shown : null;
    this.#frame.ariaBusy = 'true';
    if (!shown) {
      this.#shown = null;
      this.#enter('loading');
      this.#show(`${this.kind}, loading`, html('p', { class: 'quiet' }, `Loading ${this.kind}…`));
    }
    try {
      const wanted = this.#read();
      const limit = this.#readLimit();
      const [outcome, newest] = await Promise.all([
        find<C>(wanted, this.document, this.variables(limit), request.signal),
        wanted.snapshot ? findNewest(wanted.server, request.signal) : null,
      ]);
      if (request.signal.aborted) return;
      this.#accept(outcome, wanted, { limit, newest, key });
    } catch (error) {
      if (request.signal.aborted) return;
      // Faults of ours are told on the console too, where their place in the code is seen.
      if (!(error instanceof AskError)) reportError(error);
      this.#refuse(error instanceof AskError ? error : new AskError('INTERNAL', String(error)), shown !== null);
    } finally {
      if (this.#request === request) {
        this.#request = null;
        this.#frame.ariaBusy = 'false';
        this.#plan();
      }
    }
  }

  readonly #onLine = (): void => {
    if (document.visibilityState === 'visible' && this.#isOld()) this.#schedule();
  };

  readonly #offLine = (): void => {
    if (this.#shown) this.#age('This device is offline.');
  };

  /** Whether what is shown should be asked for again as soon as that can be done. */
  #isOld(): boolean {
    if (this.#state === 'error' || this.#root.querySelector('.old')) return true;
    const seconds = this.#readRefresh();
    return seconds !== null && this.#shown !== null && Date.now() - this.#shown.at.getTime() >= seconds * 1000;
  }

  #stop(): void {
    this.#request?.abort();
    this.#request = null;
    clearTimeout(this.#timer);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      // Whoever asked by then asked for all of it.
      if (this.#isScheduled) void this.reload();
    });
  }

  /** Asks again later, where that is wanted; a page that nobody sees waits until somebody does. */
  #plan(): void {
    clearTimeout(this.#timer);
    const seconds = this.#readRefresh();
    if (seconds === null || !this.isConnected || this.hidden) return;
    this.#timer = setTimeout(() => {
      if (document.visibilityState === 'visible') void this.reload();
    }, seconds * 1000);
  }

  #readRefresh(): number | null {
    const seconds = Number(this.getAttribute('refresh') ?? NaN);
    return seconds > 0 ? Math.max(seconds, MIN_REFRESH) : null;
  }

  #readLimit(): number {
    const limit = Number(this.getAttribute('limit') ?? NaN);
    return Number.isInteger(limit) && limit > 0 ? Math.min(limit, MAX_LIMIT) : this.usualLimit;
  }

  #read(): Wanted {
    const [operation, workload, hardware, cohort, snapshot, server] = NAMES.map(
      (name) => this.getAttribute(name)?.trim() ?? '',
    ) as [string, string, string, string, string, string];
    return { operation, workload, hardware, cohort, snapshot, server: readServer(server) };
  }

  #accept(outcome: Outcome<C>, wanted: Wanted, { limit, newest, key }: { limit: number; newest: Catalog | null; key: string }): void {
    const links = makeLinks(wanted);
    if (outcome.state === 'unknown') {
      this.#shown = null;
      this.#enter('unknown');
      this.#show(this.kind, html('p', { class: 'note', dir: 'auto' }, outcome.message), this.#suggest(outcome.suggestions, links));
      this.#tell(outcome.message);
      this.#send('kgraph-error', { code: 'UNKNOWN_NAME', message: outcome.message });
      return;
    }
    const at = new Date();
    if (outcome.state === 'empty') {
      this.#shown = null;
      const more = outcome.path && link(links.page(outcome.path), 'What there is, on kgraph');
      this.#empty(outcome.message, more);
      this.#send('kgraph-load', { state: 'empty', snapshot: null, cohort: null, operation: null });
      return;
    }
    const { comparison, catalog, text } = outcome;
    const detail = { snapshot: catalog.snapshot, cohort: comparison.key, operation: comparison.operation.slug };
    const pinned = newest && newest.snapshot !== catalog.snapshot ? explainPin(catalog, newest) : null;
    if (this.#shown?.text === text && !this.#root.querySelector('.old')) {
      this.#shown.at = at;
      this.#send('kgraph-load', { state: this.#state === 'empty' ? 'empty' : 'ready', ...detail });
      return;
    }
    const view = this.view(comparison, links, limit);
    const foot = makeFoot(comparison, links);
    const top = makeTop(this.kind, comparison, links);
    if (typeof view === 'string') {
      this.#shown = null;
      this.#enter('empty');
      this.#show(`${this.kind}: ${comparison.operation.title}`, top, pinned, html('p', { class: 'note' }, view), foot);
      this.#tell(view);
      this.#send('kgraph-load', { state: 'empty', ...detail });
      return;
    }
    const draw = (notice: Child) => this.#show(view.label, top, pinned, notice, ...view.body, foot);
    this.#shown = { key, text, at, draw };
    this.#enter('ready');
    draw(null);
    this.#tell(`${view.label}, loaded`);
    this.#send('kgraph-load', { state: 'ready', ...detail });
  }

  #empty(message: string, more: Child): void {
    this.#enter('empty');
    this.#show(this.kind, html('p', { class: 'note', dir: 'auto' }, message), more && html('p', {}, more));
    this.#tell(message);
  }

  #refuse(error: AskError, isShown: boolean): void {
    if (isShown) {
      this.#age(error.message);
    } else {
      this.#enter('error');
      this.#show(
        `${this.kind}, not loaded`,
        html(
          'div',
          { class: 'note bad' },
          html('p', {}, html('b', {}, `The ${this.kind} could not be loaded.`)),
          html('p', { dir: 'auto' }, `Asked for: ${this.#describe()}`),
          html('p', { dir: 'auto' }, `Came back: ${error.message} `, html('code', {}, error.code)),
          this.#retry(),
        ),
      );
      this.#tell(`The ${this.kind} could not be loaded. ${error.message}`);
    }
    this.#send('kgraph-error', { code: error.code, message: error.message });
  }

  /** Says that what stays on show may be out of date. */
  #age(why: string): void {
    if (!this.#shown) return;
    const { at, draw } = this.#shown;
    const words = `Shown as of ${showInstant(at)}; it may be out of date. ${why}`;
    draw(html('div', { class: 'note warn old' }, html('p', {}, words), this.#retry()));
    this.#tell(words);
  }

  #retry(): HTMLElement {
    const button = html('button', { type: 'button' }, 'Try again');
    button.addEventListener('click', () => void this.reload());
    return html('p', {}, button);
  }

  #suggest(suggestions: { text: string; path: string }[], links: Links): Child {
    if (suggestions.length === 0) return null;
    const items = suggestions.map(({ text, path }) => html('li', {}, link(links.page(path), text)));
    return html('div', {}, html('p', {}, 'Did you mean:'), html('ul', { class: 'plain' }, ...items));
  }

  /** What is asked for, as the element's author wrote it. */
  #describe(): string {
    const given = NAMES.flatMap((name) => {
      const value = this.getAttribute(name);
      return value && name !== 'server' ? [`${name} ${value}`] : [];
    });
    let server = this.getAttribute('server') ?? '';
    try {
      server = readServer(server);
    } catch {
      // The message says what is wrong with it.
    }
    return `${this.kind} of ${given.join(', ') || 'nothing'} from ${server}`;
  }

  #enter(state: State): void {
    this.#state = state;
    this.#frame.dataset['state'] = state;
  }

  #show(label: string, ...children: Child[]): void {
    // Whoever stood in what goes away stands in what comes, not at the start of the page.
    const hadFocus = this.#root.activeElement !== null;
    const opened = this.#frame.querySelector('details')?.open;
    this.#frame.ariaLabel = label;
    this.#frame.replaceChildren(...children.filter((child) => child !== null && child !== undefined && child !== false));
    const details = this.#frame.querySelector('details');
    if (details && opened !== undefined) details.open = opened;
    if (hadFocus) this.#frame.focus({ preventScroll: true });
  }

  #tell(words: string): void {
    this.#told.textContent = words;
  }

  #send(type: 'kgraph-load' | 'kgraph-error', detail: object): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}

// Attributes as properties of the same names, as frameworks set them.
for (const name of ATTRIBUTES) {
  Object.defineProperty(KgraphElement.prototype, name, {
    configurable: true,
    enumerable: true,
    get(this: HTMLElement): string {
      return this.getAttribute(name) ?? '';
    },
    set(this: HTMLElement, value: unknown) {
      if (value === null || value === undefined || value === '') this.removeAttribute(name);
      else this.setAttribute(name, String(value));
    },
  });
}

function readServer(given: string): string {
  if (!given) return findServer(import.meta.url);
  let address: URL;
  try {
    address = new URL(given, document.baseURI);
  } catch {
    throw new AskError('BAD_SERVER', `server: found ${given}, expected an address such as https://kgraph.example`);
  }
  if (address.protocol !== 'https:' && address.protocol !== 'http:') {
    throw new AskError('BAD_SERVER', `server: found ${given}, expected an http or https address`);
  }
  return address.origin + address.pathname.replace(/\/+$/, '');
}

function makeLinks({ server, snapshot }: Wanted): Links {
  const page = (path: string) => {
    const pin = snapshot ? `${path.includes('?') ? '&' : '?'}snapshot=${encodeURIComponent(snapshot)}` : '';
    return server + path + pin;
  };
  // Twelve digits tell apart more runs than any catalogue holds.
  return { page, run: (digest) => page(`/r/${digest.replace(/^.*:/, '').slice(0, 12)}`) };
}

function makeTop(kind: string, { operation, workload, hardware, protocol, metric, key }: Place, links: Links): Node {
  const path = `/o/${encodeURIComponent(operation.slug)}?cohort=${key}`;
  const { product, formFactor } = hardware;
  return html(
    'div',
    { class: 'top' },
    html('p', { class: 'kind' }, capitalize(kind)),
    html('p', { class: 'title' }, link(links.page(path), operation.title)),
    html(
      'p',
      { class: 'what' },
      link(links.page(`/w/${workload.digest.replace(/^.*:/, '').slice(0, 12)}`), workload.label),
      ' on ',
      link(links.page(`/hardware/${hardwareSlug(product)}`), product),
      formFactor && ` ${formFactor}`,
      ' · ',
      html('bdi', {}, protocol.title),
      // Runs that all failed measure nothing.
      metric.name !== 'none' && ` · ${showMetric(metric)}`,
    ),
  );
}

function makeFoot({ source, runCount, eligibleRunCount, lastObservedAt, operation, key }: Place, links: Links): Node {
  const counted = showCount(eligibleRunCount, 'ranked run') + (runCount === eligibleRunCount ? '' : ` of ${runCount}`);
  return html(
    'p',
    { class: 'foot' },
    `${counted}${lastObservedAt ? ` · last observed ${showDate(lastObservedAt)}` : ''} · source `,
    link(source.url, source.name, { rel: 'external nofollow noopener' }),
    `, ${source.license ?? 'licence not stated'}`,
    source.attribution && ', ',
    source.attribution && html('bdi', {}, source.attribution),
    ' · ',
    link(links.page(`/o/${encodeURIComponent(operation.slug)}?cohort=${key}`), 'everything on kgraph'),
  );
}

function explainPin(catalog: Catalog, newest: Catalog): Node {
  const published = ({ publishedAt }: Catalog) => (publishedAt ? ` of ${showInstant(publishedAt)}` : '');
  return html(
    'p',
    { class: 'note warn pinned' },
    `Pinned to the snapshot${published(catalog)}; the newest is${published(newest)}, and is not shown.`,
  );
}
