/** The panel that lists the example queries and opens each in a tab. */
import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import EXAMPLES from 'kgraph:examples';

function ExamplesIcon() {
  return (
    <svg viewBox="0 0 24 24" height="1em" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
      <path strokeLinecap="round" strokeLinejoin="round" d="M9 6h11M9 12h11M9 18h11M4 6h.01M4 12h.01M4 18h.01" />
    </svg>
  );
}

function ExamplesPanel() {
  const openExample = useOpenExample();
  return (
    <section aria-label="Examples" className="kgraph-examples">
      <h2 className="graphiql-doc-explorer-title">Examples</h2>
      <ul>
        {EXAMPLES.map((example) => (
          <li key={example.name}>
            <button type="button" data-example={example.name} onClick={() => openExample(example)}>
              <strong>{example.title}</strong>
              <span>{example.summary}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Goes to the tab that still holds the example unchanged; opens a new one where there is none. */
function useOpenExample() {
  const { addTab, changeTab, updateActiveTabValues } = useGraphiQLActions();
  const tabs = useGraphiQL((state) => state.tabs);
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const variableEditor = useGraphiQL((state) => state.variableEditor);
  return ({ query, variables, operationName }) => {
    const open = tabs.findIndex((tab) => tab.query === query && (tab.variables ?? '') === variables);
    if (open >= 0) {
      changeTab(open);
      return;
    }
    addTab();
    queryEditor?.setValue(query);
    variableEditor?.setValue(variables);
    updateActiveTabValues({ query, variables, operationName });
  };
}

export const EXAMPLES_PLUGIN = { title: 'Examples', icon: ExamplesIcon, content: ExamplesPanel };
