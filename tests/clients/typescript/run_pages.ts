import { getSingularSelector, type SingularReaderSelector } from 'relay-runtime';
import { ask, environment } from './ask_relay';
import NextQuery, { type PagesNextQuery } from './relay/__generated__/PagesNextQuery.graphql';
import Query, { type PagesQuery } from './relay/__generated__/PagesQuery.graphql';
import RunQuery, { type PagesRunQuery } from './relay/__generated__/PagesRunQuery.graphql';
import Run, { type Pages_run$data } from './relay/__generated__/Pages_run.graphql';
import Runs, { type Pages_runs$data } from './relay/__generated__/Pages_runs.graphql';
import { report } from './server';

function look<Data>(selector: SingularReaderSelector | null | undefined): Data {
  if (!selector) throw new Error('the fragment has no place in the store');
  return environment.lookup(selector).data as Data;
}

async function main(): Promise<void> {
  const first = 3;
  const selector = getSingularSelector(Runs, await ask<PagesQuery>(Query, { first }));
  const before = look<Pages_runs$data>(selector);
  const after = before.runs.pageInfo.endCursor;
  await ask<PagesNextQuery>(NextQuery, { first, after });
  const { runs } = look<Pages_runs$data>(selector);
  const id = runs.edges[0]?.node.id ?? '';
  const again = await ask<PagesRunQuery>(RunQuery, { id });
  report({
    first: before.runs.edges.map(({ node }) => node),
    joined: runs.edges.map(({ node }) => node),
    total: runs.totalCount,
    again: look<Pages_run$data>(getSingularSelector(Run, again.node)),
  });
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
