/** `<kgraph-history>`: how the record changed, as a staircase and a table. */
import document from '../documents/history.graphql';
import { type Mark, chart, drawMark } from './chart.ts';
import type { Change, History } from './data.ts';
import { head, html, link, nothing, scroll, svg } from './dom.ts';
import { KgraphElement, type Links, type View } from './element.ts';
import { scaleInstants, scaleValues, thinTicks, tickInstants } from './scale.ts';
import { capitalize, showCode, showCount, showDate, showInteger, showMetric, showPercent } from './words.ts';

export class KgraphHistory extends KgraphElement<History> {
  protected override readonly kind = 'history';
  protected override readonly document = document;

  protected override variables(limit: number): object {
    return { last: limit };
  }

  protected override view({ history, operation, metric }: History, links: Links): View | string {
    const { nodes, totalCount } = history;
    const values = nodes.flatMap(({ value }) => (value === null ? [] : [value]));
    if (nodes.length === 0) return 'No record stands yet.';
    const axis = showMetric(metric);
    const isLog = values.length > 0 && scaleValues(values, 0, 1).isLog;
    const changes = showCount(totalCount, 'record change');
    const label = `Record history: ${operation.title}`;
    const plot =
      values.length > 0 &&
      html(
        'figure',
        {},
        chart({
          title: `Record of ${operation.title} over time`,
          description:
            `A staircase of ${changes}; each dot is a change. The ${axis} axis is ` +
            `${isLog ? 'logarithmic' : 'linear and does not start at zero'}. The table below holds every value.`,
          draw: (frame) => {
            const x = scaleInstants(nodes.map(({ at }) => Date.parse(at)), frame.left, frame.right);
            const y = scaleValues(values, frame.bottom, frame.top);
            const { line, marks } = climb(nodes, (at) => x.place(Date.parse(at)), (value) => y.place(value), frame.right);
            return {
              x: thinTicks(tickInstants(x), frame.em * 7),
              y: y.ticks(metric.unit),
              marks: [
                svg('path', { class: 'line s0', d: line }),
                svg('g', { class: 'marks s0' }, ...marks.map((mark) => drawMark(0, mark))),
              ],
            };
          },
        }),
        html(
          'figcaption',
          { class: 'quiet' },
          `${capitalize(axis)}${isLog ? ', logarithmic' : ', not from zero'}. Each step is a strictly better run; ties take no record.`,
        ),
      );
    const rows = nodes.toReversed().map((change) => {
      const { at, cause, improvementPercent, run } = change;
      return html(
        'tr',
        {},
        html('td', { class: 'num' }, showDate(at)),
        html('td', { class: 'num' }, tellValue(change)),
        html(
          'td',
          { class: 'num' },
          improvementPercent === null
            ? nothing(cause === 'NEW_RUN' ? 'The first record' : 'After a correction')
            : showPercent(improvementPercent),
        ),
        html(
          'td',
          {},
          run ? link(links.run(run.digest), run.implementation.title) : nothing('No record stands'),
          cause !== 'NEW_RUN' && html('span', { class: 'badge' }, showCode(cause)),
        ),
      );
    });
    const table = html(
      'table',
      {},
      html('caption', { class: 'hidden' }, 'Changes of the record, latest first'),
      head(['Date', 'num'], ['Record', 'num'], ['Better by', 'num'], ['Held by']),
      html('tbody', {}, ...rows),
    );
    const cut = nodes.length < totalCount && `The latest ${showInteger(nodes.length)} are shown.`;
    const details = html(
      'details',
      { open: nodes.length <= 3 },
      html('summary', {}, changes),
      scroll('Record changes', table, true),
      cut && html('p', { class: 'quiet' }, cut),
    );
    return { label, body: [plot, details] };
  }
}

const showValue = ({ value, run }: Change): string | null => (value === null ? null : (run?.primary?.display ?? null));

const tellValue = (change: Change): Node => {
  const shown = showValue(change);
  return shown === null ? nothing('No record stands') : html('b', {}, shown);
};

/** The staircase through the changes; a correction that leaves no record breaks it. */
function climb(
  changes: readonly Change[],
  placeAt: (at: string) => number,
  placeValue: (value: number) => number,
  end: number,
): { line: string; marks: Mark[] } {
  let line = '';
  let isDrawing = false;
  const marks: Mark[] = [];
  for (const change of changes) {
    const x = placeAt(change.at);
    if (change.value === null) {
      if (isDrawing) line += `H${x}`;
      isDrawing = false;
      continue;
    }
    const y = placeValue(change.value);
    line += isDrawing ? `H${x}V${y}` : `M${x} ${y}`;
    isDrawing = true;
    const holder = change.run ? `, ${change.run.implementation.title}` : '';
    const title = `${showDate(change.at)}: ${showValue(change) ?? ''}${holder}`;
    marks.push({ x, y, title, isHollow: change.cause !== 'NEW_RUN' });
  }
  // The last record still stands.
  return { line: isDrawing ? `${line}H${end}` : line, marks };
}
