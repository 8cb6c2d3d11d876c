/** The script that pages load: it defines the elements, once, whichever copy comes first. */
import { KgraphHeadroom } from './headroom.ts';
import { KgraphHistory } from './history.ts';
import { KgraphRanking } from './ranking.ts';
import { KgraphRecord } from './record.ts';
import { KgraphScaling } from './scaling.ts';

const ELEMENTS: [string, CustomElementConstructor][] = [
  ['kgraph-ranking', KgraphRanking],
  ['kgraph-record', KgraphRecord],
  ['kgraph-history', KgraphHistory],
  ['kgraph-scaling', KgraphScaling],
  ['kgraph-headroom', KgraphHeadroom],
];

for (const [name, element] of ELEMENTS) {
  if (!customElements.get(name)) customElements.define(name, element);
}

export { KgraphHeadroom, KgraphHistory, KgraphRanking, KgraphRecord, KgraphScaling };
