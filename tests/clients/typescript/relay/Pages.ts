// What Relay makes of connections and global ids by itself: pages that it joins, and a fragment that
// it asks for again by `node`.
import { graphql } from 'relay-runtime';

export const query = graphql`
  query PagesQuery($first: Int!) {
    ...Pages_runs @arguments(first: $first)
  }
`;

export const runs = graphql`
  fragment Pages_runs on Query
  @argumentDefinitions(first: { type: "Int!" }, after: { type: "String" })
  @refetchable(queryName: "PagesNextQuery") {
    runs(first: $first, after: $after) @connection(key: "Pages_runs") {
      totalCount
      pageInfo {
        endCursor
      }
      edges {
        node {
          id
          digest
          title
        }
      }
    }
  }
`;

export const run = graphql`
  fragment Pages_run on Run @refetchable(queryName: "PagesRunQuery") {
    digest
    title
  }
`;
