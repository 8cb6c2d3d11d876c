/** Drawings that are as wide as their place, so that letters keep their size. */
import { html, svg } from './dom.ts';
import type { Tick } from './scale.ts';

/** Where values may be drawn, in CSS pixels. */
export interface Frame {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** Size of the letters around the drawing. */
  em: number;
}

export interface Drawing {
  title: string;
  /** What it shows, in words; the table beside it has the values. */
  description: string;
  /** Name of the axis below, where it does not go without saying. */
  axis?: string;
  draw(frame: Frame): { x: Tick[]; y: Tick[]; marks: SVGElement[] };
}

// Before the place is known, and where nothing is laid out.
const USUAL_WIDTH = 480;

/** A box that holds the drawing and makes it anew whenever its width changes. */
export function chart(drawing: Drawing): HTMLElement {
  const box = html('div', { class: 'chart' });
  let drawn = '';
  const fit = (width: number, em: number) => {
    const key = `${width} ${em}`;
    if (width === 0 || key === drawn) return;
    drawn = key;
    box.replaceChildren(plot(drawing, makeFrame(width, em, drawing.axis !== undefined)));
  };
  fit(USUAL_WIDTH, 16);
  new ResizeObserver(([entry]) => {
    if (entry) fit(Math.floor(entry.contentRect.width), parseFloat(getComputedStyle(box).fontSize));
  }).observe(box);
  return box;
}

function makeFrame(width: number, em: number, hasAxis: boolean): Frame {
  const height = Math.round(Math.min(Math.max(width * 0.5, em * 14), em * 24));
  return {
    width,
    height,
    left: Math.round(em * 4.6),
    right: width - Math.round(em * 0.9),
    top: Math.round(em * 0.6),
    bottom: height - Math.round(em * (hasAxis ? 2.7 : 1.7)),
    em: em * 0.8,
  };
}

let count = 0;

function plot(drawing: Drawing, frame: Frame): SVGElement {
  const id = `chart-${(count += 1)}`;
  const { x, y, marks } = drawing.draw(frame);
  const { width, height, left, right, top, bottom, em } = frame;
  const round = (value: number) => Math.round(value * 10) / 10;
  const grid = svg(
    'g',
    { class: 'grid', 'aria-hidden': 'true' },
    ...y.flatMap(({ at, label }) => [
      svg('path', { d: `M${left} ${at}H${right}` }),
      svg('text', { x: left - round(em / 2), y: round(at + em / 3), class: 'at-end' }, label),
    ]),
    ...x.flatMap(({ at, label }) => {
      // A label at the right edge would lose its end.
      const isLast = at > right - em * 3;
      return [
        svg('path', { d: `M${at} ${bottom}v${round(em / 3)}` }),
        svg(
          'text',
          { x: isLast ? right + round(em * 0.8) : at, y: round(bottom + em * 1.5), class: isLast ? 'at-end' : 'at-middle' },
          label,
        ),
      ];
    }),
    svg('path', { class: 'axis', d: `M${left} ${top}V${bottom}H${right}` }),
    drawing.axis && svg('text', { x: right, y: round(bottom + em * 2.9), class: 'at-end' }, drawing.axis),
  );
  return svg(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-labelledby': `${id}-title`, 'aria-describedby': `${id}-text` },
    svg('title', { id: `${id}-title` }, drawing.title),
    svg('desc', { id: `${id}-text` }, drawing.description),
    grid,
    ...marks,
  );
}

export interface Mark {
  x: number;
  y: number;
  title: string;
  isHollow?: boolean;
}

/** The path through some marks. */
export const join = (marks: readonly Mark[]): string => `M${marks.map(({ x, y }) => `${x} ${y}`).join('L')}`;

/** A mark in one of four shapes, which tell series apart where colours do not. */
export function drawMark(series: number, { x, y, title, isHollow }: Mark): SVGElement {
  const path = [
    `M${x - 4} ${y}a4 4 0 1 0 8 0a4 4 0 1 0-8 0z`,
    `M${x - 3.5} ${y - 3.5}h7v7h-7z`,
    `M${x} ${y - 5}l4.6 8.4h-9.2z`,
    `M${x} ${y - 5}l5 5-5 5-5-5z`,
  ][series % 4];
  return svg('path', { d: path, class: isHollow && 'hollow' }, svg('title', {}, title));
}

/** How a series looks, for the legend. */
export const drawKey = (series: number): SVGElement =>
  svg(
    'svg',
    { class: 'key', viewBox: '0 0 22 12', 'aria-hidden': 'true' },
    svg('path', { class: `line s${series}`, d: 'M0 6h22' }),
    svg('g', { class: `marks s${series}` }, drawMark(series, { x: 11, y: 6, title: '' })),
  );
