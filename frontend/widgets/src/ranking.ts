/** `<kgraph-ranking>`: who is fastest, as a table. */
import document from '../documents/ranking.graphql';
import type { Entry, Implementation, Ranking } from './data.ts';
import { type Child, head, hidden, html, link, name, nothing, safeHref, scroll } from './dom.ts';
import { KgraphElement, type Links, type View } from './element.ts';
import { capitalize, explainLevel, showDate, showInteger, showLevel, showRatio, showSpeedup, showUse } from './words.ts';

export class KgraphRanking extends KgraphElement<Ranking> {
  protected override readonly kind = 'ranking';
  protected override readonly document = document;
  protected override readonly usualLimit = 10;

  protected override variables(limit: number): object {
    return { first: limit };
  }

  protected override view({ ranking, operation, metric }: Ranking, links: Links): View | string {
    const { nodes, totalCount } = ranking;
    if (nodes.length === 0) return 'No run of this comparison takes part in ranking.';
    const hasBaseline = nodes.some((entry) => showSpeedup(entry) !== null);
    const rows = nodes.map((entry) => {
      const { run, rank, tied } = entry;
      const { implementation } = run;
      const level = entry.evidence.level;
      return html(
        'tr',
        { class: rank === 1 && 'first' },
        html('td', { class: 'num rank' }, String(rank), tied && html('span', { title: 'Shares this rank' }, '=', hidden(' shared'))),
        html(
          'th',
          { scope: 'row' },
          link(links.run(run.digest), implementation.title),
          entry.isBaseline && html('span', { class: 'badge' }, 'baseline'),
          html('span', { class: 'sub' }, ...tellCode(implementation), html('span', { class: 'narrow' }, ...tellRest(entry))),
        ),
        html('td', { class: 'num' }, html('b', {}, entry.display)),
        html('td', { class: 'num' }, showRatio(entry.ratioToLeader)),
        hasBaseline && html('td', { class: 'wide' }, showSpeedup(entry) ?? nothing('Its comparison has no baseline')),
        html('td', { class: 'wide' }, tellLicence(implementation), html('span', { class: 'sub' }, showUse(implementation))),
        html('td', { class: 'wide' }, html('span', { title: explainLevel(level) }, showLevel(level)), tellStale(entry)),
        html('td', { class: 'num wide' }, showDate(run.observedAt)),
      );
    });
    const label = `Ranking: ${operation.title}`;
    const table = html(
      'table',
      {},
      html('caption', { class: 'hidden' }, 'Runs of this comparison, best first'),
      head(
        ['#', 'num'],
        ['Implementation'],
        [capitalize(metric.name.replaceAll('_', ' ')), 'num'],
        ['vs #1', 'num'],
        hasBaseline && ['vs baseline', 'wide'],
        ['Licence', 'wide'],
        ['Trust', 'wide'],
        ['Observed', 'num wide'],
      ),
      html('tbody', {}, ...rows),
    );
    const cut = nodes.length < totalCount && `The first ${showInteger(nodes.length)} of ${showInteger(totalCount)} are shown.`;
    return { label, body: [scroll(label, table), cut && html('p', { class: 'quiet' }, cut)] };
  }
}

/** Project, language and source of an implementation, on one line. */
export function tellCode({ project, title, language, sourceUrl, repository }: Implementation): Child[] {
  const source = safeHref(sourceUrl) ?? safeHref(repository);
  return [
    project && project.name !== title && name(project.name),
    project && project.name !== title && ' · ',
    language,
    source && ' · ',
    source && link(source, 'source', { rel: 'external nofollow noopener' }),
  ];
}

/** The licence; what a source wrote where no SPDX licence could be concluded of it. */
export function tellLicence({ license: { concluded, declared } }: Implementation): Node {
  if (concluded) return html('span', {}, concluded);
  if (declared) return html('bdi', { title: 'As the source writes it; no valid SPDX licence' }, declared);
  return html('span', { class: 'quiet' }, 'licence unknown');
}

/** A mark on what was observed long ago. */
export const tellStale = ({ stale }: Entry): Child =>
  stale && html('span', { class: 'badge warn', title: 'Observed more than 180 days ago' }, 'stale');

// What a narrow table has no columns for.
function tellRest(entry: Entry): Child[] {
  const speedup = showSpeedup(entry);
  return [
    ' · ',
    tellLicence(entry.run.implementation),
    ` · ${showLevel(entry.evidence.level)} ${showDate(entry.run.observedAt)} `,
    tellStale(entry),
    speedup && !entry.isBaseline && ` · ${speedup}`,
  ];
}
