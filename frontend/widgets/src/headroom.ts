/** `<kgraph-headroom>`: how far the record lies from what the hardware allows. */
import document from '../documents/headroom.graphql';
import type { Floor, Headroom } from './data.ts';
import { head, html, link, nothing, scroll, svg } from './dom.ts';
import { KgraphElement, type Links, type View } from './element.ts';
import { showRatio } from './words.ts';

export class KgraphHeadroom extends KgraphElement<Headroom> {
  protected override readonly kind = 'headroom';
  protected override readonly document = document;

  protected override variables(): object {
    return {};
  }

  protected override view({ operation, record, needed, declared }: Headroom, links: Links): View | string {
    const [floor, second] = listFloors(needed, declared);
    if (!floor || floor.floorNs === null || floor.display === null) {
      const reason = floor?.reason ?? 'the hardware or the shape is not known';
      return `No floor is estimated: ${reason.replace(/\.$/, '')}.`;
    }
    const { bound, recordRatio, caveat, hardwareSource } = floor;
    const resource = bound === 'COMPUTE' ? 'arithmetic' : 'memory bandwidth';
    const label = `Headroom: ${operation.title}`;
    const sentence =
      recordRatio === null
        ? 'No record stands to compare with it.'
        : `The record is ${showRatio(recordRatio)} the floor, bound by ${resource}.`;
    const notes = [...floor.assumptions, ...(caveat ? [caveat] : [])];
    const body = [
      html(
        'div',
        { class: 'card' },
        html(
          'p',
          { class: 'figure' },
          html('span', {}, floor.display),
          ' ',
          html('span', { class: 'quiet' }, 'estimated floor'),
        ),
        html('p', {}, sentence),
        record && recordRatio !== null && bars(record.display, floor.display, recordRatio, operation.title),
        second !== undefined &&
          second.floorNs !== null &&
          second.display !== floor.display &&
          html(
            'p',
            { class: 'quiet' },
            `Counting declared tensors alone: ${second.display ?? ''}${second.recordRatio === null ? '' : `, ${showRatio(second.recordRatio)}`}.`,
          ),
      ),
      html(
        'details',
        {},
        html('summary', {}, 'Values and assumptions'),
        scroll(
          label,
          html(
            'table',
            {},
            html('caption', { class: 'hidden' }, 'Record and estimated floor'),
            head(['What'], ['Time', 'num'], ['Of whom']),
            html(
              'tbody',
              {},
              html(
                'tr',
                {},
                html('th', { scope: 'row' }, 'Record'),
                html('td', { class: 'num' }, record ? link(links.run(record.run.digest), record.display) : nothing('No record stands')),
                html('td', {}, record ? html('bdi', {}, record.run.implementation.title) : nothing('No record stands')),
              ),
              html(
                'tr',
                {},
                html('th', { scope: 'row' }, 'Floor'),
                html('td', { class: 'num' }, floor.display),
                html('td', {}, `${floor.policy.toLowerCase().replace('_', '-')}, bound by ${resource}`),
              ),
            ),
          ),
          true,
        ),
        html(
          'ul',
          { class: 'notes' },
          ...notes.map((note) => html('li', { dir: 'auto' }, note)),
          hardwareSource && html('li', {}, link(hardwareSource.url, hardwareSource.title, { rel: 'external nofollow noopener' })),
        ),
      ),
      html('p', { class: 'quiet' }, 'An estimate, not evidence.'),
    ];
    return { label, body };
  }
}

/** The estimates that are there, the finer one first; one where both say the same. */
function listFloors(needed: Floor | null, declared: Floor | null): Floor[] {
  const found = [needed, declared].filter((floor) => floor !== null);
  return found[0]?.floorNs === null && found[1]?.floorNs ? found.toReversed() : found;
}

/** Record and floor as two bars from zero, the longer one full. */
function bars(record: string, floor: string, ratio: number, title: string): Node {
  const longer = Math.max(ratio, 1);
  const bar = (y: number, share: number, kind: string) =>
    svg('rect', { class: kind, x: 0, y, height: 10, rx: 1.5, width: `${Math.max(share * 100, 0.5).toFixed(2)}%` });
  return html(
    'div',
    { class: 'bars' },
    svg(
      'svg',
      { role: 'img', height: 30, width: '100%', 'aria-label': `Record and floor of ${title}: ${record} beside ${floor}, ${showRatio(ratio)}` },
      bar(2, ratio / longer, 'record'),
      bar(18, 1 / longer, 'limit'),
    ),
    html(
      'ul',
      { class: 'legend' },
      html('li', {}, html('span', { class: 'swatch record' }), ` record ${record}`),
      html('li', {}, html('span', { class: 'swatch limit' }), ` floor ${floor}`),
    ),
  );
}
