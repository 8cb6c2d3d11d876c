/** `<kgraph-record>`: the standing record, as a card. */
import document from '../documents/record.graphql';
import type { Standing } from './data.ts';
import { html, link } from './dom.ts';
import { KgraphElement, type Links, type View } from './element.ts';
import { tellCode, tellLicence, tellStale } from './ranking.ts';
import { explainLevel, showDate, showSpeedup, showUse } from './words.ts';

export class KgraphRecord extends KgraphElement<Standing> {
  protected override readonly kind = 'record';
  protected override readonly document = document;

  protected override variables(): object {
    return {};
  }

  protected override view({ record, recordSince, operation }: Standing, links: Links): View | string {
    if (!record) return 'No record stands: no run of this comparison takes part in ranking.';
    const { implementation, digest, observedAt } = record.run;
    const speedup = showSpeedup(record);
    const told = speedup && (record.isBaseline ? 'the baseline itself' : `${speedup} than the baseline`);
    const body = [
      html(
        'p',
        { class: 'figure' },
        link(links.run(digest), record.display),
        ' ',
        html('bdi', {}, implementation.title),
        record.tied && html('span', { class: 'badge' }, 'shared'),
      ),
      html(
        'p',
        {},
        told && html('b', {}, speedup === 'equal' ? 'equal to the baseline' : told),
        told && ' · ',
        ...tellCode(implementation),
        ' · ',
        tellLicence(implementation),
        ` · ${showUse(implementation)}`,
      ),
      html(
        'p',
        { class: 'quiet' },
        `${explainLevel(record.evidence.level)} Observed ${showDate(observedAt)}`,
        recordSince && showDate(recordSince) !== showDate(observedAt) && `, the record since ${showDate(recordSince)}`,
        ' ',
        tellStale(record),
      ),
      implementation.install && html('p', {}, html('code', { class: 'command', dir: 'ltr' }, implementation.install.command)),
    ];
    return { label: `Record: ${operation.title}`, body: [html('div', { class: 'card' }, ...body)] };
  }
}
