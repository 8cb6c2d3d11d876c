/** The page: GraphiQL with kgraph's examples, an explorer, a history, a theme switch and the last answer's figures. */
import { explorerPlugin } from '@graphiql/plugin-explorer';
import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { GraphiQL, HISTORY_PLUGIN } from 'graphiql';
import { useEffect, useState, useSyncExternalStore } from 'react';
import EXAMPLES from 'kgraph:examples';
import { EXAMPLES_PLUGIN } from './examples.jsx';
import { createFetcher } from './fetcher.js';
import { formatGraphQL } from './format.js';
import { ThemeSwitch } from './theme.jsx';

const PLUGINS = [EXAMPLES_PLUGIN, explorerPlugin({ showAttribution: false }), HISTORY_PLUGIN];

/** What the page opens with: a linked query, else on a first visit the examples, else the reader's own tabs. */
function readOpening() {
  const linked = new URLSearchParams(window.location.search);
  const example = EXAMPLES.find(({ name }) => name === linked.get('example'));
  const query = linked.get('query') ?? example?.query;
  if (query) {
    return { initialQuery: query, initialVariables: linked.get('variables') ?? example?.variables ?? '' };
  }
  if (readStored('tabState') !== null) return {};
  // A fifth of the width is enough for the examples, and leaves all their tabs in sight.
  store('docExplorerFlex', '0.25');
  const [first] = EXAMPLES;
  return {
    // GraphiQL fills the editors of the first tab from these alone; the other tabs bring their own.
    initialQuery: first.query,
    initialVariables: first.variables,
    defaultTabs: EXAMPLES.map(({ query, variables }) => ({ query, variables })),
    visiblePlugin: EXAMPLES_PLUGIN,
  };
}

// GraphiQL's own names in the browser's storage. Storage is refused in some private windows: every visit is the first.
function readStored(key) {
  try {
    return window.localStorage.getItem(`graphiql:${key}`);
  } catch {
    return null;
  }
}

function store(key, value) {
  try {
    window.localStorage.setItem(`graphiql:${key}`, value);
  } catch {
    // Without storage GraphiQL's own width stays.
  }
}

/** The whole playground, talking to `endpoint`. */
export function Playground({ endpoint }) {
  const [{ fetcher, outcome }] = useState(() => createFetcher(endpoint));
  const [opening] = useState(readOpening);
  return (
    <GraphiQL
      {...opening}
      fetcher={fetcher}
      plugins={PLUGINS}
      defaultEditorToolsVisibility="variables"
      onPrettifyQuery={formatGraphQL}
      inputValueDeprecation
      schemaDescription
    >
      <GraphiQL.Logo>
        <span className="kgraph-brand">kgraph</span>
        <ThemeSwitch />
      </GraphiQL.Logo>
      <GraphiQL.Footer>
        <Outcome outcome={outcome} />
      </GraphiQL.Footer>
      <FollowActiveTab />
    </GraphiQL>
  );
}

/**
 * Keeps the page in step with the active tab: brings it into sight, which the scrolling strip does not, and takes its
 * operation's name at once. GraphiQL reads that name a moment after the text, so running straight after a change of
 * tabs would ask for the operation of the tab before.
 */
function FollowActiveTab() {
  const active = useGraphiQL((state) => state.activeTabIndex);
  const count = useGraphiQL((state) => state.tabs.length);
  const operationName = useGraphiQL((state) => state.tabs[state.activeTabIndex]?.operationName);
  const { setOperationName } = useGraphiQLActions();
  useEffect(() => {
    document.querySelector('.graphiql-tab-active')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [active, count]);
  useEffect(() => {
    setOperationName(operationName ?? null);
  }, [active, operationName, setOperationName]);
  return null;
}

function Outcome({ outcome }) {
  const last = useSyncExternalStore(outcome.subscribe, outcome.read);
  if (last === null) return null;
  const parts = [last.operationName ?? 'last answer', `status ${last.status}`, `${last.milliseconds.toFixed(0)} ms`, formatBytes(last.bytes)];
  if (last.snapshot) parts.push(`snapshot ${last.snapshot.replace(/^\w+:/, '').slice(0, 12)}`);
  return <output className="kgraph-outcome">{parts.join(' · ')}</output>;
}

function formatBytes(count) {
  return count < 1000 ? `${count} B` : `${(count / 1000).toFixed(1)} kB`;
}
