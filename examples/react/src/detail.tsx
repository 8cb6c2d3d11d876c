/** One comparison opened: its ranking beside the steps of its record. */
import { server, useAnswer } from './client';
import { graphql, readFragment, type FragmentOf } from './graphql';

const Ranked = graphql(`
  fragment Ranked on RankedRun {
    rank
    tied
    display
    ratioToLeader
    speedupOverBaseline
    isBaseline
    stale
    run {
      digest
      implementation { title language install { command } deployability { eligible reasons } }
    }
  }
`);

const Step = graphql(`
  fragment Step on RecordEvent {
    ordinal
    at
    value
    improvementPercent
    run { implementation { title } }
  }
`);

const CohortQuery = graphql(
  `
    query Cohort($key: String!) {
      cohort(key: $key) {
        protocol { title }
        environment { title }
        headroom { display bound assumptions reason }
        ranking(first: 50) { totalCount nodes { ...Ranked } }
        history(first: 200) { nodes { ...Step } }
      }
    }
  `,
  [Ranked, Step],
);

export function Detail({ cohort: key, snapshot }: { cohort: string; snapshot: string }) {
  const { answer, error } = useAnswer(CohortQuery, { key }, snapshot);
  if (error) return <p className="message bad" role="alert">{error.message}</p>;
  const cohort = answer?.data.cohort;
  if (!cohort) return <p className="message" role="status">Loading …</p>;
  const { headroom } = cohort;
  return (
    <div className="detail">
      <p className="conditions">
        {cohort.protocol.title} · {cohort.environment.title}
        {headroom && ` · ${headroom.display ? `floor ${headroom.display}, set by ${headroom.bound?.toLowerCase()}` : headroom.reason}`}
      </p>
      <Ranking rows={cohort.ranking.nodes} total={cohort.ranking.totalCount} />
      <History steps={cohort.history.nodes} />
    </div>
  );
}

function Ranking({ rows, total }: { rows: FragmentOf<typeof Ranked>[]; total: number }) {
  const ranked = readFragment(Ranked, rows);
  const worst = Math.max(...ranked.map((row) => row.ratioToLeader));
  return (
    <section>
      <h3>Ranking{total > ranked.length && `, first ${ranked.length} of ${total}`}</h3>
      <ol className="ranking">
        {ranked.map((row) => (
          <li key={row.run.digest}>
            <span className="rank">{row.tied ? `${row.rank}=` : row.rank}</span>
            <span className="name">
              <a href={`${server}/r/${encodeURIComponent(row.run.digest)}`}>{row.run.implementation.title}</a>
              <span className="chip">{row.run.implementation.language}</span>
              {row.isBaseline && <span className="chip">baseline</span>}
              {row.stale && <span className="chip">stale</span>}
              {row.run.implementation.install && <code>{row.run.implementation.install.command}</code>}
            </span>
            <span className="value">
              {row.display} <span className="ratio">{row.ratioToLeader.toFixed(2)}×</span>
            </span>
            <span className="bar" aria-hidden="true">
              <span style={{ inlineSize: `${(100 * row.ratioToLeader) / worst}%` }} />
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}

function History({ steps }: { steps: FragmentOf<typeof Step>[] }) {
  const events = readFragment(Step, steps).filter((event) => event.value !== null);
  return (
    <section>
      <h3>Record history</h3>
      <Staircase values={events.map((event) => event.value ?? 0)} />
      <ol className="steps">
        {events.map((event) => (
          <li key={event.ordinal}>
            <time dateTime={event.at}>{event.at.slice(0, 10)}</time> {event.run?.implementation.title ?? 'nobody'}
            {event.improvementPercent !== null && <span className="gain">{event.improvementPercent.toFixed(1)} % better</span>}
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The record after each change, as a staircase; the list below it has the same in words. */
function Staircase({ values }: { values: number[] }) {
  const [width, height, edge] = [400, 96, 8];
  const most = Math.max(...values);
  const x = (place: number) => edge + (place / values.length) * (width - 2 * edge);
  const y = (value: number) => height - edge - (value / most) * (height - 2 * edge);
  const path = values.map((value, place) => `${place ? `V${y(value)}` : `M${x(0)},${y(value)}`}H${x(place + 1)}`).join('');
  return (
    <svg className="stairs" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      <line x1={edge} x2={width - edge} y1={height - edge} y2={height - edge} />
      <path d={path} />
    </svg>
  );
}
