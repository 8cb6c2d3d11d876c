/** What the documents in ../documents ask for. */

export interface Catalog {
  snapshot: string;
  publishedAt: string | null;
}

export interface Place {
  key: string;
  runCount: number;
  eligibleRunCount: number;
  lastObservedAt: string | null;
  metric: { name: string; statistic: string | null; unit: string | null };
  operation: { slug: string; title: string };
  workload: { digest: string; label: string };
  hardware: { product: string; formFactor: string | null };
  protocol: { digest: string; title: string };
  environment: { digest: string };
  source: { slug: string; name: string; url: string | null; license: string | null; attribution: string | null };
}

export interface Found<C> {
  operation: { slug: string; title: string; runCount: number } | null;
  unresolved: { field: string; message: string }[];
  nearMatches: { run: { environment: { hardware: { product: string } } } }[];
  cohort: C | null;
}

export interface Answered<C> {
  catalog: Catalog;
  cohort?: C | null;
  resolve?: Found<C>;
}

export interface Implementation {
  title: string;
  language: string;
  repository: string | null;
  sourceUrl: string | null;
  project: { name: string } | null;
  license: { declared: string | null; concluded: string | null };
  deployability: { eligible: boolean; reasons: string[] };
  install?: { command: string } | null;
}

export interface Entry {
  tied: boolean;
  unit: string | null;
  display: string;
  speedupOverBaseline: number | null;
  isBaseline: boolean;
  stale: boolean;
  evidence: { level: string };
  run: { digest: string; observedAt: string; implementation: Implementation };
}

export interface Ranking extends Place {
  ranking: { totalCount: number; nodes: (Entry & { rank: number; ratioToLeader: number })[] };
}

export interface Standing extends Place {
  recordSince: string | null;
  recordEventCount: number;
  record: Entry | null;
}

export interface Change {
  at: string;
  cause: string;
  value: number | null;
  improvementPercent: number | null;
  run: { digest: string; primary: { display: string } | null; implementation: { title: string } } | null;
}

export interface History extends Place {
  history: { totalCount: number; nodes: Change[] };
}

export interface Point {
  axisValue: number;
  value: number;
  display: string;
  run: { digest: string };
  workload: { digest: string };
}

export interface Series {
  implementation: { title: string };
  points: Point[];
}

export interface FloorPoint {
  floorNs: number | null;
  display: string | null;
}

export interface Sweep {
  axis: string;
  unit: string;
  dtypes: string[];
  heldAxes: { name: string; value: number }[];
  metric: { name: string; statistic: string | null };
  protocol: { digest: string; title: string };
  environment: { digest: string };
  hardware: { product: string; formFactor: string | null };
  series: Series[];
  leaders: { axisValue: number; run: { cohort: { headroom: FloorPoint | null } } }[];
}

export interface Scaling extends Place {
  operation: Place['operation'] & { sweeps: Sweep[] };
}

export interface Floor extends FloorPoint {
  policy: string;
  bound: string | null;
  recordRatio: number | null;
  assumptions: string[];
  caveat: string | null;
  reason: string | null;
  hardwareSource: { title: string; url: string } | null;
}

export interface Headroom extends Place {
  record: { display: string; run: { digest: string; implementation: { title: string } } } | null;
  needed: Floor | null;
  declared: Floor | null;
}
