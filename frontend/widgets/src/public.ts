/** Holds what is built to the types that are shipped: this file says nothing at run time. */
import type * as Shipped from '../types/kgraph';
import type * as Built from './kgraph.ts';

type Public<E> = Omit<E, 'addEventListener' | 'removeEventListener'>;

type Fits<B extends Public<S>, S> = [B, S];

export type Checked = [
  Fits<InstanceType<typeof Built.KgraphRanking> & Properties, Shipped.KgraphRanking>,
  Fits<InstanceType<typeof Built.KgraphRecord> & Properties, Shipped.KgraphRecord>,
  Fits<InstanceType<typeof Built.KgraphHistory> & Properties, Shipped.KgraphHistory>,
  Fits<InstanceType<typeof Built.KgraphScaling> & Properties, Shipped.KgraphScaling>,
  Fits<InstanceType<typeof Built.KgraphHeadroom> & Properties, Shipped.KgraphHeadroom>,
];

/** What `ATTRIBUTES` are made into at run time. */
interface Properties {
  operation: string;
  workload: string;
  hardware: string;
  cohort: string;
  theme: string;
  snapshot: string;
  server: string;
  limit: string;
  axis: string;
  refresh: string;
}
