// What programs read of the answers. Each client's answers must fit these shapes as they are: a
// field that a generator leaves out, types loosely or types wrongly does not compile. What is
// optional here is not asked for by every set of documents.
type Maybe<T> = T | null | undefined;
type Many<T> = ReadonlyArray<T>;

interface Entry {
  readonly rank: number;
  readonly display: string;
  readonly ratioToLeader: number;
  readonly evidence: { readonly level: string };
  readonly speedupOverBaseline?: Maybe<number>;
}

export interface Answers {
  readonly Catalog: {
    readonly catalog: {
      readonly snapshot: string;
      readonly publishedAt?: Maybe<string>;
      readonly counts: { readonly runs: number; readonly recordEvents: number };
      readonly sources: Many<{ readonly slug: string; readonly license?: Maybe<string> }>;
    };
  };
  readonly FamilyPage: {
    readonly operation?: Maybe<{
      readonly title: string;
      readonly eligibleRunCount: number;
      readonly fastest?: Maybe<{ readonly reported: Entry; readonly deployable?: Maybe<Entry> }>;
      readonly workloads: {
        readonly totalCount: number;
        readonly nodes: Many<{
          readonly label: string;
          readonly axes?: Many<{ readonly name: string; readonly value: number }>;
          readonly cohorts: Many<{
            readonly key: string;
            readonly hardware: { readonly product: string; readonly formFactor?: Maybe<string> };
            readonly record?: Maybe<Entry>;
            readonly ranking: { readonly nodes: Many<Entry> };
          }>;
        }>;
      };
    }>;
  };
  readonly RunPage: {
    readonly run?: Maybe<{
      readonly digest: string;
      readonly observedAt: string;
      readonly stale: boolean;
      readonly primary?: Maybe<{ readonly value?: number; readonly unit?: Maybe<string> }>;
      readonly manifest?: unknown;
    }>;
  };
  readonly Records: {
    readonly records: {
      readonly totalCount: number;
      readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor?: Maybe<string> };
      readonly nodes: Many<{ readonly display: string; readonly cohort: { readonly key: string } }>;
    };
  };
  readonly History: {
    readonly recordHistory: {
      readonly nodes: Many<{
        readonly at: string;
        readonly improvementPercent?: Maybe<number>;
        readonly previousRun?: Maybe<{ readonly digest: string }>;
      }>;
    };
  };
  readonly Resolve: {
    readonly resolve: {
      readonly match: 'EXACT' | 'COMPATIBLE' | 'SUPPORTED_UNMEASURED' | 'NONE';
      readonly best?: Maybe<{ readonly rank: number; readonly display: string }>;
      readonly unresolved: Many<{ readonly field: string; readonly message: string }>;
    };
  };
}

function hold(claim: boolean, what: string): void {
  if (!claim) throw new Error(`does not hold: ${what}`);
}

export function check(answers: Answers): void {
  const { Catalog, FamilyPage, RunPage, Records, History, Resolve } = answers;
  hold(/^blake3:[0-9a-f]{64}$/.test(Catalog.catalog.snapshot), 'a snapshot is an object id');
  hold(Catalog.catalog.counts.runs > 0, 'there are runs');
  const operation = FamilyPage.operation;
  hold(operation?.fastest?.reported.ratioToLeader === 1, 'the fastest run leads');
  for (const workload of operation?.workloads.nodes ?? []) {
    for (const cohort of workload.cohorts) {
      hold(cohort.record?.display === cohort.ranking.nodes[0]?.display, 'the record leads');
    }
  }
  hold(RunPage.run?.primary?.unit === 'ns', 'a latency is in nanoseconds');
  hold(!Number.isNaN(Date.parse(RunPage.run?.observedAt ?? '')), 'an instant can be read');
  hold(Records.records.nodes.length > 0, 'there are records');
  hold(History.recordHistory.nodes.length > 0, 'there are record events');
  hold(Resolve.resolve.match === 'EXACT' && Resolve.resolve.best?.rank === 1, 'an exact match');
}
