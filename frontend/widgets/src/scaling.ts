/** `<kgraph-scaling>`: how implementations scale along one axis, with the estimated floor below. */
import document from '../documents/scaling.graphql';
import { type Mark, chart, drawKey, drawMark, join } from './chart.ts';
import type { Point, Scaling, Series, Sweep } from './data.ts';
import { html, link, nothing, scroll, svg } from './dom.ts';
import { KgraphElement, type Links, type View } from './element.ts';
import { type Scale, scaleLog, thinTicks } from './scale.ts';
import { showAxes, showInteger, showMetric } from './words.ts';

/** Colours that can be told apart; more implementations stand in the table alone. */
const MAX_DRAWN = 8;

export class KgraphScaling extends KgraphElement<Scaling> {
  protected override readonly kind = 'scaling';
  protected override readonly document = document;

  protected override variables(): object {
    return {};
  }

  protected override view(comparison: Scaling, links: Links, limit: number): View | string {
    const wanted = this.getAttribute('axis');
    const found = choose(comparison, wanted);
    if (!found) {
      return wanted
        ? `Nothing of this operation is measured along ${wanted}.`
        : 'Nothing to plot: no two sizes of this operation are measured the same way.';
    }
    const { sweep, isOwn } = found;
    const { axis, unit, metric, hardware, protocol } = sweep;
    const all = sweep.series.toSorted(atTheEnd);
    const series = all.slice(0, limit);
    const drawn = series.slice(0, MAX_DRAWN);
    const places = [...new Set(series.flatMap(({ points }) => points.map(({ axisValue }) => axisValue)))].sort((a, b) => a - b);
    const floors = findFloors(sweep, places);
    const held = [showAxes(sweep.heldAxes), sweep.dtypes.join(' + ')].filter(Boolean).join(' · ');
    const label = `Scaling by ${axis}: ${comparison.operation.title}`;
    const canDraw = places.filter((place) => place > 0).length > 1 && drawn.some(({ points }) => points.some(({ value }) => value > 0));
    const plot =
      canDraw &&
      chart({
        title: `Scaling of ${comparison.operation.title} by ${axis}`,
        description:
          `How the ${showMetric(metric)} of each implementation grows with ${axis}, both axes logarithmic` +
          `${floors.size > 1 ? ', with the estimated floor dashed' : ''}. The table below holds every value.`,
        axis,
        draw: (frame) => {
          const shown = places.filter((place) => place > 0);
          const x = scaleLog(shown, frame.left, frame.right, 1.12);
          const values = drawn.flatMap(({ points }) => points.flatMap(({ value }) => (value > 0 ? [value] : [])));
          const y = scaleLog([...values, ...[...floors.values()].map(({ ns }) => ns)], frame.bottom, frame.top, 1.35);
          return {
            x: thinTicks(
              shown.map((place) => ({ at: x.place(place), label: showInteger(place) })),
              frame.em * 5,
            ),
            y: y.ticks(unit),
            marks: [...drawFloor(floors, x, y, axis), ...drawn.flatMap((one, number) => drawSeries(one, number, x, y, axis))],
          };
        },
      });
    const legend = html(
      'ul',
      { class: 'legend' },
      ...drawn.map(({ implementation }, number) => html('li', {}, drawKey(number), ' ', html('bdi', {}, implementation.title))),
      floors.size > 1 &&
        html(
          'li',
          {},
          svg('svg', { class: 'key', viewBox: '0 0 22 12', 'aria-hidden': 'true' }, svg('path', { class: 'floor', d: 'M0 6h22' })),
          ' estimated floor, not evidence',
        ),
    );
    const caption = html(
      'figcaption',
      { class: 'quiet' },
      !isOwn && 'Another comparison of this operation: ',
      !isOwn && `${hardware.product}${hardware.formFactor ? ` ${hardware.formFactor}` : ''} · `,
      !isOwn && html('bdi', {}, protocol.title),
      !isOwn && ' · ',
      `by ${axis}`,
      held && ` · ${held}`,
    );
    const cut = series.length < all.length && html('p', { class: 'quiet' }, `${series.length} of ${all.length} implementations are shown.`);
    const details = html('details', {}, html('summary', {}, `Values by ${axis}`), scroll(`Values by ${axis}`, tabulate(axis, series, places, floors, links), true));
    return { label, body: [html('figure', {}, plot && legend, plot, caption), details, cut] };
  }
}

type Floors = Map<number, { ns: number; display: string }>;

/** The sweep through the comparison, longest first, else the longest of all, measured the same way if one is. */
function choose(comparison: Scaling, axis: string | null): { sweep: Sweep; isOwn: boolean } | null {
  const isSameWay = (sweep: Sweep) =>
    sweep.protocol.digest === comparison.protocol.digest && sweep.environment.digest === comparison.environment.digest;
  const isOwn = (sweep: Sweep) =>
    isSameWay(sweep) &&
    sweep.series.some(({ points }) => points.some(({ workload }) => workload.digest === comparison.workload.digest));
  const length = (sweep: Sweep) => Math.max(0, ...sweep.series.map(({ points }) => points.length));
  const [best] = comparison.operation.sweeps
    .filter((sweep) => !axis || sweep.axis === axis)
    .map((sweep) => ({ sweep, isOwn: isOwn(sweep), sameWay: isSameWay(sweep), length: length(sweep) }))
    .sort(
      (one, other) =>
        Number(other.isOwn) - Number(one.isOwn) ||
        Number(other.sameWay) - Number(one.sameWay) ||
        other.length - one.length ||
        (one.sweep.axis < other.sweep.axis ? -1 : 1),
    );
  return best ? { sweep: best.sweep, isOwn: best.isOwn } : null;
}

/** Fastest at the largest size first. */
function atTheEnd(one: Series, other: Series): number {
  const [last, otherLast] = [one.points.at(-1), other.points.at(-1)];
  if (!last || !otherLast) return 0;
  return (
    otherLast.axisValue - last.axisValue ||
    last.value - otherLast.value ||
    (one.implementation.title < other.implementation.title ? -1 : 1)
  );
}

function findFloors({ unit, leaders }: Sweep, places: readonly number[]): Floors {
  const floors: Floors = new Map();
  for (const { axisValue, run } of leaders) {
    const floor = run.cohort.headroom;
    // Floors are durations; beside other values they would mean nothing.
    if (unit !== 'ns' || !floor?.floorNs || floor.display === null || axisValue <= 0 || !places.includes(axisValue)) continue;
    floors.set(axisValue, { ns: floor.floorNs, display: floor.display });
  }
  return floors;
}

function drawFloor(floors: Floors, x: Scale, y: Scale, axis: string): SVGElement[] {
  const marks = [...floors]
    .sort(([one], [other]) => one - other)
    .map(([place, { ns, display }]): Mark => ({
      x: x.place(place),
      y: y.place(ns),
      title: `estimated floor: ${display} at ${axis} = ${showInteger(place)}`,
    }));
  const dots = marks.map((mark) => svg('circle', { cx: mark.x, cy: mark.y, r: 2.5 }, svg('title', {}, mark.title)));
  return [
    ...(marks.length > 1 ? [svg('path', { class: 'floor', d: join(marks) })] : []),
    svg('g', { class: 'marks floor-marks' }, ...dots),
  ];
}

function drawSeries({ implementation, points }: Series, number: number, x: Scale, y: Scale, axis: string): SVGElement[] {
  const marks = points
    .filter(({ axisValue, value }) => axisValue > 0 && value > 0)
    .map(({ axisValue, value, display }): Mark => ({
      x: x.place(axisValue),
      y: y.place(value),
      title: `${implementation.title}: ${display} at ${axis} = ${showInteger(axisValue)}`,
    }));
  return [
    ...(marks.length > 1 ? [svg('path', { class: `line s${number}`, d: join(marks) })] : []),
    svg('g', { class: `marks s${number}` }, ...marks.map((mark) => drawMark(number, mark))),
  ];
}

function tabulate(axis: string, series: readonly Series[], places: readonly number[], floors: Floors, links: Links): HTMLTableElement {
  const column = (text: string) => html('th', { scope: 'col', class: 'num', dir: 'auto' }, text);
  const cell = (point: Point | undefined) =>
    html('td', { class: 'num' }, point ? link(links.run(point.run.digest), point.display) : nothing('Not measured'));
  return html(
    'table',
    {},
    html('caption', { class: 'hidden' }, `Values of each implementation by ${axis}`),
    html(
      'thead',
      {},
      html('tr', {}, column(axis), ...series.map(({ implementation }) => column(implementation.title)), floors.size > 0 && column('floor (estimate)')),
    ),
    html(
      'tbody',
      {},
      ...places.map((place) =>
        html(
          'tr',
          {},
          html('th', { scope: 'row', class: 'num' }, showInteger(place)),
          ...series.map(({ points }) => cell(points.find(({ axisValue }) => axisValue === place))),
          floors.size > 0 && html('td', { class: 'num' }, floors.get(place)?.display ?? nothing('No floor is estimated')),
        ),
      ),
    ),
  );
}
