/** The list of standing records: filters with counts, order, pages of one snapshot. */
import { useState } from 'react';
import { ask, AskError, server, useAddress, useAnswer } from './client';
import { Detail } from './detail';
import { graphql, readFragment, type FragmentOf, type VariablesOf } from './graphql';

const PAGE = 25;

const RecordLine = graphql(`
  fragment RecordLine on Record {
    display
    since
    cohort {
      key
      eligibleRunCount
      operation { slug title }
      workload { label }
      hardware { product }
      protocol { title }
      headroom { recordRatio }
    }
    run {
      digest
      evidence { level }
      implementation { title language license { concluded } }
    }
  }
`);

const RecordsQuery = graphql(
  `
    query Records(
      $where: RecordWhere!
      $byFamily: RecordWhere!
      $byHardware: RecordWhere!
      $byLanguage: RecordWhere!
      $orderBy: [RecordOrder!]!
      $first: Int!
    ) {
      catalog { publishedAt counts { runs operations } }
      records(where: $where, orderBy: $orderBy, first: $first) {
        totalCount
        pageInfo { hasNextPage endCursor }
        nodes { ...RecordLine }
      }
      families: records(where: $byFamily, first: 1) { facets(field: FAMILY) { value count } }
      hardware: records(where: $byHardware, first: 1) { facets(field: HARDWARE) { value count } }
      languages: records(where: $byLanguage, first: 1) { facets(field: LANGUAGE) { value count } }
    }
  `,
  [RecordLine],
);

const MoreQuery = graphql(
  `
    query More($where: RecordWhere!, $orderBy: [RecordOrder!]!, $first: Int!, $after: String!) {
      records(where: $where, orderBy: $orderBy, first: $first, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes { ...RecordLine }
      }
    }
  `,
  [RecordLine],
);

type Variables = VariablesOf<typeof RecordsQuery>;
type Where = Variables['where'];
type Order = Variables['orderBy'][number];
type Line = FragmentOf<typeof RecordLine>;

const ORDERS: Record<string, { text: string; by: Order }> = {
  latest: { text: 'Latest first', by: { field: 'SINCE', direction: 'DESC' } },
  oldest: { text: 'Longest standing first', by: { field: 'SINCE', direction: 'ASC' } },
  contested: { text: 'Most runs first', by: { field: 'ELIGIBLE_RUN_COUNT', direction: 'DESC' } },
  operation: { text: 'By operation', by: { field: 'OPERATION', direction: 'ASC' } },
};

function filter(given: { family: string; hardware: string; language: string; deployable: string }): Where {
  return {
    ...(given.family && { family: { eq: given.family } }),
    ...(given.hardware && { hardware: { eq: given.hardware } }),
    ...(given.language && { language: { eq: given.language } }),
    ...(given.deployable && { deployable: { eq: true } }),
  };
}

export function Records() {
  const [family, setFamily] = useAddress('family');
  const [hardware, setHardware] = useAddress('hardware');
  const [language, setLanguage] = useAddress('language');
  const [deployable, setDeployable] = useAddress('deployable');
  const [order, setOrder] = useAddress('order');
  const given = { family, hardware, language, deployable };
  const { answer, error, isWaiting } = useAnswer(RecordsQuery, {
    where: filter(given),
    // Each list of choices is counted under the other filters, so that it offers more than what is chosen.
    byFamily: filter({ ...given, family: '' }),
    byHardware: filter({ ...given, hardware: '' }),
    byLanguage: filter({ ...given, language: '' }),
    orderBy: [(ORDERS[order] ?? ORDERS['latest']!).by],
    first: PAGE,
  });
  const data = answer?.data;

  return (
    <>
      <header>
        <h1>Standing records</h1>
        <p className="lead">
          Who is fastest at exactly which workload on exactly which hardware
          {data && `, among ${data.catalog.counts.runs.toLocaleString('en')} runs of ${data.catalog.counts.operations} operations`}.
        </p>
        <form aria-label="Which records" onSubmit={(event) => event.preventDefault()}>
          <Choice label="Family" value={family} onChange={setFamily} facets={data?.families.facets} />
          <Choice label="Hardware" value={hardware} onChange={setHardware} facets={data?.hardware.facets} />
          <Choice label="Language" value={language} onChange={setLanguage} facets={data?.languages.facets} />
          <label>
            Order
            <select value={order in ORDERS ? order : 'latest'} onChange={(event) => setOrder(event.target.value)}>
              {Object.entries(ORDERS).map(([key, { text }]) => (
                <option key={key} value={key}>{text}</option>
              ))}
            </select>
          </label>
          <label className="check">
            <input
              type="checkbox"
              checked={deployable !== ''}
              onChange={(event) => setDeployable(event.target.checked ? 'yes' : '')}
            />
            Usable today only
          </label>
        </form>
      </header>
      <main aria-busy={isWaiting}>
        {error && <p className="message bad" role="alert">{error.message}</p>}
        {!error && !data && <p className="message">Loading …</p>}
        {answer && data && (
          <Pages
            // A new list begins anew: cursors belong to one filter, one order and one snapshot.
            key={JSON.stringify([answer.variables, answer.snapshot])}
            first={data.records}
            snapshot={answer.snapshot}
            where={answer.variables.where}
            orderBy={answer.variables.orderBy}
          />
        )}
      </main>
      <footer>
        {answer && data && (
          <p>
            Snapshot{' '}
            <a href={`${server}/?snapshot=${encodeURIComponent(answer.snapshot)}`}>{answer.snapshot.slice(0, 19)}</a>…
            {data.catalog.publishedAt && `, published ${data.catalog.publishedAt.slice(0, 10)}`}. Times are as their
            sources report them; headroom is an estimate.
          </p>
        )}
      </footer>
    </>
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  facets: { value: string; count: number }[] | undefined;
}

function Choice({ label, value, onChange, facets = [] }: ChoiceProps) {
  // What is chosen stays on offer when nothing is left of it.
  const offered = !value || facets.some((facet) => facet.value === value) ? facets : [...facets, { value, count: 0 }];
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">All</option>
        {offered.map((facet) => (
          <option key={facet.value} value={facet.value}>
            {facet.value} ({facet.count})
          </option>
        ))}
      </select>
    </label>
  );
}

interface PagesProps {
  first: { totalCount: number; nodes: Line[]; pageInfo: { hasNextPage: boolean; endCursor: string | null } };
  snapshot: string;
  where: Where;
  orderBy: Variables['orderBy'];
}

function Pages({ first, snapshot, where, orderBy }: PagesProps) {
  const [lines, setLines] = useState(first.nodes);
  const [info, setInfo] = useState(first.pageInfo);
  const [open, setOpen] = useState<string | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isWaiting, setIsWaiting] = useState(false);

  async function more(after: string) {
    setIsWaiting(true);
    try {
      const { data } = await ask(MoreQuery, { where, orderBy, first: PAGE, after }, { snapshot });
      setLines((known) => [...known, ...data.records.nodes]);
      setInfo(data.records.pageInfo);
      setProblem(null);
    } catch (error) {
      if (!(error instanceof AskError)) throw error;
      setProblem(error.message);
    } finally {
      setIsWaiting(false);
    }
  }

  if (!lines.length) return <p className="message" role="status">No record stands under these filters.</p>;
  return (
    <>
      <p className="count" role="status">
        {lines.length} of {first.totalCount.toLocaleString('en')} records
      </p>
      <ul className="records">
        {lines.map((line) => {
          const { cohort } = readFragment(RecordLine, line);
          return (
            <Card
              key={cohort.key}
              line={line}
              snapshot={snapshot}
              isOpen={open === cohort.key}
              onToggle={() => setOpen((key) => (key === cohort.key ? null : cohort.key))}
            />
          );
        })}
      </ul>
      {problem && <p className="message bad" role="alert">{problem}</p>}
      {info.hasNextPage && info.endCursor && (
        <button type="button" className="more" disabled={isWaiting} onClick={() => void more(info.endCursor!)}>
          {isWaiting ? 'Loading …' : `Show ${PAGE} more`}
        </button>
      )}
    </>
  );
}

interface CardProps {
  line: Line;
  snapshot: string;
  isOpen: boolean;
  onToggle: () => void;
}

function Card({ line, snapshot, isOpen, onToggle }: CardProps) {
  const { display, since, cohort, run } = readFragment(RecordLine, line);
  const id = `cohort-${cohort.key.slice(-12)}`;
  const ratio = cohort.headroom?.recordRatio;
  return (
    <li className={isOpen ? 'open' : ''}>
      <div className="line">
        <div className="what">
          <h2>
            <a href={`${server}/o/${cohort.operation.slug}?cohort=${encodeURIComponent(cohort.key)}`}>{cohort.operation.title}</a>
          </h2>
          <p>{cohort.workload.label}</p>
          <p>
            {cohort.hardware.product} · {cohort.protocol.title}
          </p>
        </div>
        <div className="who">
          <a href={`${server}/r/${encodeURIComponent(run.digest)}`}>{run.implementation.title}</a>
          <p>
            {run.implementation.language} · {run.implementation.license.concluded ?? 'licence unknown'}
          </p>
          <p>
            {run.evidence.level.toLowerCase()} · since {since.slice(0, 10)}
          </p>
        </div>
        <div className="figure">
          <strong>{display}</strong>
          <p>{ratio ? `${ratio.toFixed(2)}× its floor` : 'no floor known'}</p>
        </div>
        <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={onToggle}>
          {cohort.eligibleRunCount} {cohort.eligibleRunCount === 1 ? 'run' : 'runs'}
          <span className="only-read"> of {cohort.operation.title}, {cohort.workload.label}</span>
        </button>
      </div>
      <div id={id} hidden={!isOpen}>
        {isOpen && <Detail cohort={cohort.key} snapshot={snapshot} />}
      </div>
    </li>
  );
}
