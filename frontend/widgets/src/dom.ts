/** Elements out of names and text. Text is always text: nothing here reads markup. */

export type Child = Node | string | false | null | undefined;
type Attributes = Record<string, string | number | boolean | null | undefined>;

const SVG = 'http://www.w3.org/2000/svg';

/** An HTML element; attributes that are null, undefined or false are left out. */
export function html<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(tag), attributes, children);
}

/** An element of a drawing. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  return fill(document.createElementNS(SVG, tag) as SVGElementTagNameMap[K], attributes, children);
}

function fill<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** The address where it leads to a web page; null for any other scheme, and for none. */
export function safeHref(address: string | null | undefined): string | null {
  if (!address) return null;
  try {
    const { protocol, host } = new URL(address.trim());
    return (protocol === 'https:' || protocol === 'http:') && host ? address.trim() : null;
  } catch {
    // Catalogues carry what their sources wrote; what cannot be read is no link.
    return null;
  }
}

/** A link where the address is safe to follow, the words alone where it is not. */
export function link(address: string | null | undefined, text: string, attributes: Attributes = {}): HTMLElement {
  const href = safeHref(address);
  return href ? html('a', { href, dir: 'auto', ...attributes }, text) : html('span', { dir: 'auto' }, text);
}

/** A name that somebody gave, in the direction of its own letters. */
export const name = (text: string): HTMLElement => html('bdi', {}, text);

/** Where there is no value: a dash, and why. */
export const nothing = (why: string): HTMLElement =>
  html('span', { class: 'na' }, html('span', { 'aria-hidden': 'true', title: why }, '–'), hidden(why));

/** Words for those who listen. */
export const hidden = (text: string): HTMLElement => html('span', { class: 'hidden' }, text);

/** A box that scrolls sideways, by keyboard too. */
export const scroll = (label: string, table: HTMLTableElement, isCompact = false): HTMLElement =>
  html('div', { class: isCompact ? 'scroll compact' : 'scroll', role: 'group', tabindex: 0, 'aria-label': `${label}, table` }, table);

/** The head of a table. */
export const head = (...columns: ([string, string?] | false)[]): HTMLElement =>
  html(
    'thead',
    {},
    html(
      'tr',
      {},
      ...columns.map((column) => column && html('th', { scope: 'col', class: column[1], dir: 'auto' }, column[0])),
    ),
  );
