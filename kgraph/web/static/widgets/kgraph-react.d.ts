/** The elements in JSX of React 19, which passes attributes and custom events on as they are. */
import type { DetailedHTMLProps, HTMLAttributes } from 'react';
import type {
  KgraphAttributes,
  KgraphErrorDetail,
  KgraphHeadroom,
  KgraphHistory,
  KgraphListAttributes,
  KgraphLoadDetail,
  KgraphRanking,
  KgraphRecord,
  KgraphScaling,
  KgraphScalingAttributes,
} from './kgraph';

interface Events {
  'onkgraph-load'?: (event: CustomEvent<KgraphLoadDetail>) => void;
  'onkgraph-error'?: (event: CustomEvent<KgraphErrorDetail>) => void;
}

type Props<E extends HTMLElement, A> = DetailedHTMLProps<HTMLAttributes<E>, E> & A & Events;

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'kgraph-ranking': Props<KgraphRanking, KgraphListAttributes>;
      'kgraph-record': Props<KgraphRecord, KgraphAttributes>;
      'kgraph-history': Props<KgraphHistory, KgraphListAttributes>;
      'kgraph-scaling': Props<KgraphScaling, KgraphScalingAttributes>;
      'kgraph-headroom': Props<KgraphHeadroom, KgraphAttributes>;
    }
  }
}
